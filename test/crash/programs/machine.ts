/**
 * Stands for one machine: keeps workers running, and kills one of them at random until it is told to stop. Only one that has
 * worked is killed: where a machine takes longer to start a worker than to the next kill, nobody would ever work.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { hostname } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { readOrder, say, type Order } from './orders.ts';

interface MachineOrder extends Order {
  readonly worker: string;
  readonly workers: number;
  readonly killEveryMs: number;
}

const order = readOrder<MachineOrder>();
const working: ChildProcess[] = [];
let isKilling = true;

function startWorker(): void {
  const child = spawn(process.execPath, [order.worker, JSON.stringify(order)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.once('message', () => working.push(child));
}

createInterface({ input: process.stdin }).once('line', () => {
  isKilling = false;
});

say({ machine: hostname() });
for (let count = 0; count < order.workers; count += 1) startWorker();
while (isKilling) {
  await pause(order.killEveryMs * (0.5 + Math.random()));
  const [victim] = working.splice(Math.floor(Math.random() * working.length), 1);
  if (victim === undefined) continue;
  victim.kill('SIGKILL');
  say({ killed: victim.pid });
  startWorker();
}
say({ calm: true });
