/**
 * The clock that all processes of a machine share: `CLOCK_MONOTONIC`. In Node `process.hrtime` is that clock. In Bun and
 * Deno `process.hrtime` counts from the start of the process, so leases of other processes would seem to have ended, or
 * would never end. There this calls the C library.
 */
import { StoreFault } from './store-fault.ts';

interface Library {
  readonly symbols: { clock_gettime(clock: number, into: BigInt64Array): number };
}
type Open = (name: string) => Library;

const CLOCK_MONOTONIC = 1;
const C_LIBRARIES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'];
const NANOSECONDS = 1_000_000_000n;

/** Returns a function that reads the clock in nanoseconds. It throws a StoreFault where there is no such clock. */
export function machineClock(): () => bigint {
  const { bun, deno } = process.versions;
  if (bun === undefined && deno === undefined) return () => process.hrtime.bigint();
  let read: (() => bigint) | null = null;
  return () => {
    read ??= openLibraryClock(bun === undefined ? openInDeno : openInBun);
    return read();
  };
}

function openLibraryClock(open: Open): () => bigint {
  const { symbols } = openFirst(open);
  const time = new BigInt64Array(2);
  return () => {
    symbols.clock_gettime(CLOCK_MONOTONIC, time);
    return (time[0] ?? 0n) * NANOSECONDS + (time[1] ?? 0n);
  };
}

function openFirst(open: Open): Library {
  // On other systems Node uses another clock.
  let cause: unknown = new Error(`${process.platform} is not Linux`);
  for (const name of process.platform === 'linux' ? C_LIBRARIES : []) {
    try {
      return open(name);
    } catch (error) {
      cause = error;
    }
  }
  const runtime = process.versions['bun'] === undefined ? 'Deno' : 'Bun';
  throw new StoreFault(
    `${runtime} has no clock here that it shares with other processes (${String(cause).slice(0, REASON_MAX)}), and without ` +
      'one it would end their leases. Nothing was opened. Use Node; Deno on Linux needs --allow-ffi',
    'unchanged',
    { cause },
  );
}

const REASON_MAX = 200;

const openInBun: Open = (name) => {
  const { dlopen } = process.getBuiltinModule('bun:ffi') as unknown as {
    dlopen(name: string, symbols: object): Library;
  };
  return dlopen(name, { clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' } });
};

const openInDeno: Open = (name) => {
  const { Deno } = globalThis as unknown as { readonly Deno: { dlopen(name: string, symbols: object): Library } };
  return Deno.dlopen(name, { clock_gettime: { parameters: ['i32', 'buffer'], result: 'i32' } });
};
