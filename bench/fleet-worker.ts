/** The worker process of one run: says when it is ready, how many handlers have started, and how late each was. */
import { contestantNamed } from './contestants/all.ts';

const [name = '', url = '', concurrency = '1', expected = '0'] = process.argv.slice(2);
const delays: number[] = [];
const worker = await contestantNamed(name).startWorker(url, Number(concurrency), ({ sentAt }) => {
  delays.push(performance.timeOrigin + performance.now() - sentAt);
  if (delays.length === Number(expected)) process.send?.({ kind: 'all-started', delays });
});
process.on('message', () => {
  void worker.stop().then(() => process.exit(0));
});
process.send?.({ kind: 'ready' });
