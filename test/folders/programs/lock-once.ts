/** Asks for a lock, says how far it is, and says when it has it. */
import { writeSync } from 'node:fs';
import { openNameLocks } from '../../../src/folders/name-locks.ts';

/** A hundred looks or so. */
const LOOKED_MS = 500;

const { lock } = JSON.parse(process.argv[2] ?? '{}') as { readonly lock: string };
writeSync(1, 'waiting\n');
setTimeout(() => writeSync(1, 'looked\n'), LOOKED_MS);
await openNameLocks().with(lock, async () => {
  writeSync(1, 'inside\n');
});
