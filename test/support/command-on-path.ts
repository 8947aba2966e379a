/**
 * A folder for the path of shells and of git's hooks, in which `baton` and `node` are found as after an installation.
 *
 * A script calls `baton` dozens of times. What `quickBaton` would run in the one process of this test file is run there for
 * a script too: a few lines of bash ask for it, and all that they ask with (arguments, folder, environment) is read from
 * their process. Everything else becomes a process of its own in their place, with their standard input.
 */
import { existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { BATON, tempFolder } from './processes.ts';
import { runQuickly } from './quick-commands.ts';

const BASH = '/bin/bash';

/** A folder of its own for the test that calls this. */
export async function folderWithBaton(): Promise<string> {
  const bin = join(tempFolder(), 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  if (existsSync(BASH) && existsSync('/proc/self/environ')) {
    writeFileSync(join(bin, 'baton'), askingFor(await listen()), { mode: 0o755 });
  } else {
    symlinkSync(BATON, join(bin, 'baton'));
  }
  return bin;
}

/** Bash itself reads from a connection and starts nothing for it. */
function askingFor(port: number): string {
  return `#!${BASH}
exec 3<> /dev/tcp/127.0.0.1/${port}
echo "$$" >&3
read -r code <&3
if [ "$code" = own ]; then
  exec 3>&-
  exec '${process.execPath}' '${BATON}' "$@"
fi
IFS= read -r -d '' stdout <&3
IFS= read -r -d '' stderr <&3
printf %s "$stderr" >&2
printf %s "$stdout"
exit "$code"
`;
}

async function listen(): Promise<number> {
  const server = createServer((socket) => {
    socket.setEncoding('utf8').once('data', (line) => void answer(socket, Number(line)));
    // A script that is ended does not wait for its answer.
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function answer(socket: Socket, pid: number): Promise<void> {
  try {
    const [, , ...args] = entriesOf(pid, 'cmdline');
    const env = Object.fromEntries(entriesOf(pid, 'environ').map(nameAndValue));
    const ended = await runQuickly({ entry: BATON, args, cwd: readlinkSync(`/proc/${pid}/cwd`), env });
    socket.end(ended === null ? 'own\n' : `${ended.code}\n${ended.stdout}\0${ended.stderr}\0`);
  } catch (error) {
    socket.end(`125\n\0${String(error)}\0`);
  }
}

function entriesOf(pid: number, what: 'cmdline' | 'environ'): readonly string[] {
  return readFileSync(`/proc/${pid}/${what}`, 'utf8').split('\0').slice(0, -1);
}

function nameAndValue(entry: string): readonly [string, string] {
  const at = entry.indexOf('=');
  return [entry.slice(0, at), entry.slice(at + 1)];
}
