/**
 * Runs commands as they are built, one after the other in one process: a process takes ten times as long to start as most
 * commands take to run. What each has of its own (arguments, folder, environment, output, exit code) is set before it.
 */
const { readdirSync, readlinkSync } = require('node:fs');

const LENT = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGTSTP', 'exit'];
const STREAMS = ['stdout', 'stderr'];
const plain = STREAMS.map((name) => process[name].write);
let count = 0;

async function run({ entry, args, cwd, env }) {
  const pieces = STREAMS.map((name) => {
    const own = [];
    process[name].write = (piece, ...more) => {
      own.push(Buffer.from(piece));
      const done = more.find((each) => typeof each === 'function');
      if (done !== undefined) process.nextTick(done);
      return true;
    };
    return own;
  });
  process.argv = [process.execPath, entry, ...args];
  process.env = env;
  process.exitCode = undefined;
  process.chdir(cwd);
  count += 1;
  await import(`${entry}?run=${count}`);
  const [stdout, stderr] = pieces.map((own) => Buffer.concat(own).toString('utf8'));
  const code = process.exitCode ?? 0;
  for (const name of LENT) process.removeAllListeners(name);
  for (const [index, name] of STREAMS.entries()) {
    process[name].write = plain[index];
    process[name].removeAllListeners('error');
  }
  process.exitCode = undefined;
  process.chdir('/');
  return { code, signal: null, stdout, stderr };
}

/** A database is closed when the last of its statements is collected; until then its locks are held. */
async function hasDatabaseOpen() {
  globalThis.gc();
  await new Promise(setImmediate);
  return readdirSync('/proc/self/fd').some((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).endsWith('.db');
    } catch {
      return false;
    }
  });
}

process.on('message', (wanted) => {
  void run(wanted).then(async (answered) => {
    const isUsedUp = await hasDatabaseOpen();
    process.send({ answered, isUsedUp });
  });
});
process.on('disconnect', () => process.exit(0));
