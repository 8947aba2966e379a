/**
 * The beginning of `dist/baton.cjs`: loads the parts of the command, with what V8 has compiled of them before. Compiling
 * was a third of `baton send`.
 *
 * What was compiled lies beside the parts: nobody can write there who could not change the parts themselves. V8 itself
 * refuses what another version of it, other flags or another processor have made; that the text is the same is for us to see,
 * by the name of the build. V8 does not look for flipped bits, and crashes over some of them; so each file holds the same
 * code twice, and one whose halves differ is made anew. That costs 0.1 ms, less than any checksum in JavaScript.
 *
 * V8 keeps the functions that have run, and each command runs others. So the first successful run of a command adds its own
 * to what the commands before it have left: with those of `baton init` alone, `baton send` took 8 ms of processor time more,
 * with those of ten commands 0.6 ms.
 */
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const COMPILED = path.join(__dirname, 'compiled', `${__BUILD__}-${process.version}-${process.arch}`);
/** Who runs for longer has thrown away what it compiled for its start. */
const START_MS = 60_000;

/** Only node keeps what is compiled; a stack with sources, and coverage, are about the text as node itself has read it. */
const mayUseCompiled =
  process.release.name === 'node' &&
  process.versions.bun === undefined &&
  process.versions.deno === undefined &&
  !process.sourceMapsEnabled &&
  process.env.NODE_V8_COVERAGE === undefined &&
  process.env.NODE_DISABLE_COMPILE_CACHE === undefined;
const FUNCTION_BEGINS = '(function(exports,require,module,__filename,__dirname){';
const FUNCTION_ENDS = '\n})';
/** All parts are read into the same memory, one after the other: the system has to clear each page that is used first. */
let memory = Buffer.allocUnsafeSlow(1024 * 1024);
/** The scripts of this run, by the file that keeps what is compiled of them. */
const loaded = new Map();
/** For the command, whose text follows. */
// eslint-disable-next-line no-unused-vars -- used by what follows
const requirePart = mayUseCompiled ? requireFrom(__dirname) : require;

function requireFrom(folder) {
  return Object.assign((name) => (name.startsWith('.') ? partAt(path.join(folder, name)) : require(name)), {
    resolve: require.resolve,
  });
}

function partAt(file) {
  const known = require.cache[file];
  if (known !== undefined) return known.exports;
  const module = { id: file, filename: file, loaded: true, exports: {} };
  require.cache[file] = module;
  const compiled = path.join(COMPILED, path.basename(file));
  const script = new vm.Script(functionIn(file), { filename: file, cachedData: keptAt(compiled) });
  loaded.set(compiled, { script, isKept: script.cachedDataRejected === false });
  const folder = path.dirname(file);
  script.runInThisContext()(module.exports, requireFrom(folder), module, file, folder);
  return module.exports;
}

/**
 * The text of a part as a function, in one piece: strings of this size that are thrown away at once make V8 collect garbage
 * in the middle of the start. The build writes ASCII only, so nothing has to be decoded.
 */
function functionIn(file) {
  const length = readInto(FUNCTION_BEGINS.length, file);
  memory.latin1Write(FUNCTION_BEGINS, 0);
  memory.latin1Write(FUNCTION_ENDS, FUNCTION_BEGINS.length + length);
  return memory.latin1Slice(0, FUNCTION_BEGINS.length + length + FUNCTION_ENDS.length);
}

function keptAt(file) {
  try {
    const half = readInto(0, file) / 2;
    const code = memory.subarray(0, half);
    return code.equals(memory.subarray(half, 2 * half)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a file to this place of the common memory, and returns how many bytes it has. */
function readInto(place, file) {
  const descriptor = fs.openSync(file);
  try {
    const { size } = fs.fstatSync(descriptor);
    const needed = place + size + FUNCTION_ENDS.length;
    if (memory.length < needed) memory = Buffer.allocUnsafeSlow(needed);
    let read = 0;
    for (let more = -1; more !== 0 && read < size; read += more) {
      more = fs.readSync(descriptor, memory, place + read, size - read, null);
    }
    return read;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** At the end, when V8 has compiled what the command needs. */
function keep() {
  const mark = markOfCommand();
  const isFirst = mark !== null && !fs.existsSync(mark);
  const unkept = [...loaded].filter(([, { isKept }]) => isFirst || !isKept);
  if (unkept.length === 0 || performance.now() > START_MS) return;
  // With flags of its own V8 compiles for those flags, and everybody else would refuse it.
  if (process.execArgv.length > 0 || (process.env.NODE_OPTIONS ?? '') !== '') return;
  try {
    fs.accessSync(__dirname, fs.constants.W_OK);
    fs.mkdirSync(COMPILED, { recursive: true, mode: 0o755 });
    for (const [file, { script }] of unkept) {
      const draft = `${file}.${process.pid}`;
      const code = script.createCachedData();
      fs.writeFileSync(draft, Buffer.concat([code, code]), { flush: true, flag: 'wx', mode: 0o644 });
      fs.renameSync(draft, file);
    }
    if (isFirst) fs.writeFileSync(mark, '');
  } catch {
    // Read-only, or full: the next start compiles again.
  }
}

/** The file that says that the functions of this command are kept. Null: it is no command, or it did not succeed. */
function markOfCommand() {
  const [, , word = ''] = process.argv;
  return process.exitCode === 0 && /^[a-z]+$/.test(word) ? path.join(COMPILED, word) : null;
}

process.once('exit', keep);
