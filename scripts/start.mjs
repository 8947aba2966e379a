#!/usr/bin/env node
/**
 * `npm start`: builds what it must, serves a sample workspace, prints the link to its page, and lets a small town of
 * agents live in it (`scripts/town.mjs`). Ctrl-C ends it; the workspace stays, so that the next start finds what was done.
 *
 *   npm start -- [--port PORT] [--pace SECONDS] [--no-town]
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BATON, ended, firstLine, ROOT, SAMPLE } from './sample.mjs';
import { Town } from './town.mjs';

const { values } = parseArgs({
  options: { port: { type: 'string' }, pace: { type: 'string', default: '2' }, 'no-town': { type: 'boolean' } },
});

const children = new Set();
let isEnding = false;
const CONFIGURATION = `project: shop

# An agent whose context is full hands over to a successor by itself.
succession: { automatic: on }
`;

await run([join(ROOT, 'scripts/build.mjs'), '--command', '--dashboard', '--quiet']);
if (!existsSync(join(SAMPLE, 'baton.yaml'))) {
  await run([BATON, 'init', SAMPLE], 'ignore');
  writeFileSync(join(SAMPLE, 'baton.yaml'), CONFIGURATION);
}

const port = values.port === undefined ? [] : ['--port', values.port];
const server = start(
  [BATON, 'serve', '--workspace', SAMPLE, '--log-level', 'warn', ...port],
  ['ignore', 'pipe', 'inherit'],
);
const link = await firstLine(server);
if (link === null) process.exit(server.exitCode ?? 1);
const hasTmux = spawnSync('tmux', ['-V']).status === 0;
const succession = hasTmux
  ? '@writer runs in a terminal (tmux). About once in two minutes its context is full and a successor takes over: see Agents.'
  : 'tmux is not installed, so no agent runs in a terminal and Agents shows no succession. Everything else is there.';
process.stdout.write(`
  Baton is here. Open its page:

    ${link}

  A small town of agents lives there: answer its questions, review what it delivers, try again what failed.
  ${succession}
  Send one more, from another terminal:

    node dist/baton.cjs send --workspace .sample --from @me --to @you --title "My first" --input '{"hello":"world"}'

  Ctrl-C ends it, and its agents. To begin anew, delete .sample and start again.

`);
if (values['no-town'] !== true) void live(new URL(link).origin);
// The terminal tells everybody in front of it; the server ends by itself, and so do we after it.
process.on('SIGINT', () => (isEnding = true));
process.on('SIGTERM', () => {
  isEnding = true;
  children.forEach((child) => child.kill('SIGTERM'));
});
process.exitCode = (await ended(server)) ?? 0;
if (hasTmux) await stopTerminals();

/** A step of the town every few seconds, until the server is gone. */
async function live(url) {
  const made = await output([BATON, 'token', 'new', '--operator', '--as', 'operator', '--workspace', SAMPLE, '--json']);
  const town = new Town(url, JSON.parse(made).token);
  try {
    await town.settle();
    if (hasTmux) await startWriter();
    while (!isEnding) {
      await new Promise((resolve) => setTimeout(resolve, Number(values.pace) * 1000));
      await town.step();
    }
  } catch (error) {
    if (!isEnding) process.stderr.write(`the town has stopped: ${error.message}\n`);
  }
}

/** An agent in a terminal. Its successors are started by Baton. */
async function startWriter() {
  const persona = join(SAMPLE, 'data/personas/writer');
  mkdirSync(persona, { recursive: true });
  writeFileSync(join(persona, 'skill.md'), 'You write guides in plain words.\n');
  const agent = [process.execPath, join(ROOT, 'scripts/town-agent.mjs')];
  const where = ['--workspace', SAMPLE, '--cwd', SAMPLE, '--json'];
  await output([BATON, 'agent', 'start', '--persona', 'writer', '--agent', 'command', ...where, '--', ...agent]);
}

async function stopTerminals() {
  const { items } = JSON.parse(await output([BATON, 'agent', 'list', '--workspace', SAMPLE, '--json']));
  for (const { id } of items) await output([BATON, 'agent', 'stop', String(id), '--workspace', SAMPLE, '--json']);
}

async function output(args) {
  const child = start(args, ['ignore', 'pipe', 'inherit']);
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  await ended(child);
  return text;
}

function start(args, stdio) {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

async function run(args, stdout = 'inherit') {
  const code = await ended(start(args, ['ignore', stdout, 'inherit']));
  if (code !== 0) process.exit(code ?? 1);
}
