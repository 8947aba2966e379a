#!/usr/bin/env node
/**
 * `npm run dev`: serves the sample workspace of `npm start`, builds again what has changed and restarts the server.
 * A build that fails leaves the last good one running. Ctrl-C ends it.
 *
 *   npm run dev -- [--port PORT]
 */
import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BATON, ended, ROOT, SAMPLE } from './sample.mjs';

/** An editor writes several files at once. */
const SETTLE_MS = 150;
/** The dashboard shares types with the server, but only its own files change what it is. */
const PRODUCTS = { src: '--command', web: '--dashboard' };
const PORT = '7766';

const { values } = parseArgs({ options: { port: { type: 'string', default: PORT } } });

let server = null;
let changed = new Set(Object.keys(PRODUCTS));
let timer = null;
let working = false;
let stopping = false;

process.on('SIGINT', stop);
process.on('SIGTERM', stop);
for (const folder of Object.keys(PRODUCTS)) {
  watch(join(ROOT, folder), { recursive: true }, () => {
    changed.add(folder);
    schedule();
  });
}
schedule();

function schedule() {
  clearTimeout(timer);
  timer = setTimeout(() => void update(), SETTLE_MS);
}

async function update() {
  if (working || stopping || changed.size === 0) return;
  working = true;
  const flags = [...changed].map((folder) => PRODUCTS[folder]);
  changed = new Set();
  const isBuilt = (await ended(start([join(ROOT, 'scripts/build.mjs'), ...flags]))) === 0;
  if (isBuilt && !stopping) await restart();
  working = false;
  if (changed.size > 0) schedule();
}

async function restart() {
  if (!existsSync(join(SAMPLE, 'baton.yaml'))) await ended(start([BATON, 'init', SAMPLE]));
  if (server !== null) {
    const over = ended(server);
    server.kill('SIGTERM');
    await over;
  }
  if (!stopping) server = start([BATON, 'serve', '--workspace', SAMPLE, '--log-level', 'warn', '--port', values.port]);
}

function stop() {
  stopping = true;
  if (server === null || server.exitCode !== null) process.exit(0);
  server.once('exit', () => process.exit(0));
  server.kill('SIGTERM');
}

/** With source maps, so that a stack names the sources. In a group of its own: Ctrl-C is ours to pass on. */
function start(args) {
  return spawn(process.execPath, ['--enable-source-maps', ...args], { cwd: ROOT, stdio: 'inherit', detached: true });
}
