/**
 * Runs commands as they are built, one after the other in one process: a process takes ten times as long to start as most
 * commands take to run. What each has of its own (arguments, folder, environment, output, exit code) is set before it.
 */
import type * as Files from 'node:fs';

export interface Wanted {
  readonly entry: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Told {
  readonly answered: {
    readonly code: number;
    readonly signal: null;
    readonly stdout: string;
    readonly stderr: string;
  };
  /** It could not close what it had opened. */
  readonly isUsedUp: boolean;
}

/** The text of a program that does what it is told over its channel. */
export const COMMAND_RUNNER = `(${commandRunner.toString()})(require, require('node:fs'))`;

/** Its text is all that comes with it: it refers to nothing around it. */
function commandRunner(load: NodeJS.Require, files: typeof Files): void {
  const { readdirSync, readlinkSync } = files;
  const streams = [process.stdout, process.stderr];
  // Commands write without a stream where they can.
  const { writeSync } = files;
  files.writeSync = ((...given: readonly [number, Uint8Array, number?]): number => {
    const [file, bytes, from = 0] = given;
    if (file !== 1 && file !== 2) return (writeSync as (...all: readonly unknown[]) => number)(...given);
    const piece = bytes.subarray(from);
    streams[file - 1]?.write(piece);
    return piece.length;
  }) as typeof writeSync;
  const plain = streams.map((stream) => stream.write.bind(stream));

  const capture = (stream: NodeJS.WriteStream): Buffer[] => {
    const pieces: Buffer[] = [];
    stream.write = (piece: Uint8Array | string, ...more: unknown[]): boolean => {
      pieces.push(Buffer.from(piece as string));
      const done = more.find((each) => typeof each === 'function') as (() => void) | undefined;
      if (done !== undefined) process.nextTick(done);
      return true;
    };
    return pieces;
  };

  const run = async ({ entry, args, cwd, env }: Wanted): Promise<Told['answered']> => {
    const pieces = streams.map(capture);
    process.argv = [process.execPath, entry, ...args];
    process.env = { ...env };
    process.exitCode = 0;
    process.chdir(cwd);
    delete load.cache[entry];
    await (load(entry) as { readonly ended: Promise<void> }).ended;
    const [stdout = '', stderr = ''] = pieces.map((own) => Buffer.concat(own).toString('utf8'));
    const code = Number(process.exitCode);
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGTSTP', 'exit']) process.removeAllListeners(name);
    for (const [index, stream] of streams.entries()) {
      stream.write = plain[index] as typeof stream.write;
      stream.removeAllListeners('error');
    }
    process.exitCode = 0;
    process.chdir('/');
    return { code, signal: null, stdout, stderr };
  };

  const targetOf = (link: string): string => {
    try {
      return readlinkSync(link);
    } catch {
      return '';
    }
  };

  const isDatabaseOpen = (): boolean =>
    readdirSync('/proc/self/fd').some((name) => targetOf(`/proc/self/fd/${name}`).endsWith('.db-wal'));

  /** A database is closed when the last of its statements is collected, which may take several rounds. */
  const hasDatabaseOpen = async (): Promise<boolean> => {
    for (let round = 0; round < 20 && isDatabaseOpen(); round += 1) {
      globalThis.gc?.();
      await new Promise(setImmediate);
    }
    return isDatabaseOpen();
  };

  process.on('message', (wanted) => {
    void run(wanted as Wanted).then(async (answered) =>
      process.send?.({ answered, isUsedUp: await hasDatabaseOpen() }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}
