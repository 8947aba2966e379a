/**
 * The clock that all processes of a machine share: `CLOCK_MONOTONIC`. In Node `process.hrtime` is that clock. In Bun and Deno
 * it counts from the start of the process, so every lease of another process would look as if it had ended, or would never
 * end; there the C library is asked.
 */
import { StoreFault } from './store-fault.ts';

interface Library {
  readonly symbols: { clock_gettime(clock: number, into: BigInt64Array): number };
}
type Open = (name: string) => Library;

const CLOCK_MONOTONIC = 1;
const C_LIBRARIES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'];
const NANOSECONDS = 1_000_000_000n;

/** Answers how to read it, in nanoseconds. Reading throws a StoreFault where there is no such clock. */
export function machineClock(): () => bigint {
  const { bun, deno } = process.versions;
  if (bun === undefined && deno === undefined) return () => process.hrtime.bigint();
  let read: (() => bigint) | null = null;
  return () => {
    read ??= clockOfLibrary(bun === undefined ? openInDeno : openInBun);
    return read();
  };
}

function clockOfLibrary(open: Open): () => bigint {
  const { symbols } = openFirst(open);
  const time = new BigInt64Array(2);
  return () => {
    symbols.clock_gettime(CLOCK_MONOTONIC, time);
    return (time[0] ?? 0n) * NANOSECONDS + (time[1] ?? 0n);
  };
}

function openFirst(open: Open): Library {
  // Elsewhere Node's clock is another one of the system's.
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
