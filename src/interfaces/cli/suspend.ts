/**
 * Ctrl-Z. A process that the system stops anywhere may be in the middle of a commit, and would keep the database locked
 * for everybody. Here it stops itself instead, and JavaScript runs only between two transactions.
 */
export function suspendBetweenTransactions(): void {
  if (process.platform === 'win32') return;
  process.on('SIGTSTP', suspend);
}

const suspend = (): void => void suspendNow();

async function suspendNow(): Promise<void> {
  // The same module that has started them, if there are any.
  const { continueHeartbeats, pauseHeartbeats } = await import('../../adapters/processes/heartbeat.ts');
  await pauseHeartbeats();
  process.removeListener('SIGTSTP', suspend);
  // Without a listener the system does what it always does: it stops us, or nobody if there is no shell to continue us.
  process.kill(process.pid, 'SIGTSTP');
  process.on('SIGTSTP', suspend);
  continueHeartbeats();
}
