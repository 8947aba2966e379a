/**
 * Ctrl-Z. A process that is stopped in the middle of a commit would keep the database locked for everybody. This handler
 * runs between two transactions, because it is JavaScript, and stops the process there.
 */
export function suspendBetweenTransactions(): void {
  if (process.platform === 'win32') return;
  process.on('SIGTSTP', suspend);
}

const suspend = (): void => void suspendNow();

async function suspendNow(): Promise<void> {
  // The module that has started the heartbeats, if there are any.
  const { continueHeartbeats, pauseHeartbeats } = await import('../../adapters/processes/heartbeat.ts');
  await pauseHeartbeats();
  process.removeListener('SIGTSTP', suspend);
  // Without a listener the signal stops the process, unless no shell could continue it.
  process.kill(process.pid, 'SIGTSTP');
  process.on('SIGTSTP', suspend);
  continueHeartbeats();
}
