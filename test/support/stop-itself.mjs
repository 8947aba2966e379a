/**
 * For `node --import`: the process stops itself before the write to an open file whose number STOP_BEFORE_WRITE says. A
 * test finds it in the middle, however slow or fast the machine is, and lets it go on or kills it.
 */
import { open } from 'node:fs/promises';

const file = await open(new URL(import.meta.url));
const handles = Object.getPrototypeOf(file);
await file.close();
const { write } = handles;
let left = Number(process.env['STOP_BEFORE_WRITE']);

handles.write = function (...given) {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGSTOP');
  return write.apply(this, given);
};
