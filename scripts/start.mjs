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
import { fileURLToPath } from 'node:url';
import { Town } from './town.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BATON = join(ROOT, 'dist/baton.cjs');
/** Git does not see it. */
const SAMPLE = join(ROOT, '.sample');

const { values } = parseArgs({
  options: { port: { type: 'string' }, pace: { type: 'string', default: '2' }, 'no-town': { type: 'boolean' } },
});

const children = new Set();
/** Agents in a terminal that run now, by their numbers. */
const terminals = new Set();
/** How often the one in a terminal hands over. */
const SUCCESSION_MS = 90_000;

await run([join(ROOT, 'scripts/build.mjs'), '--command', '--dashboard', '--quiet']);
if (!existsSync(join(SAMPLE, 'baton.yaml'))) await run([BATON, 'init', SAMPLE], 'ignore');

const port = values.port === undefined ? [] : ['--port', values.port];
const server = start(
  [BATON, 'serve', '--workspace', SAMPLE, '--log-level', 'warn', ...port],
  ['ignore', 'pipe', 'inherit'],
);
const link = await firstLine(server);
const hasTmux = spawnSync('tmux', ['-V']).status === 0;
const successions = hasTmux
  ? 'One of them runs in a terminal (tmux) and hands over to a successor when its context is full: see Agents.'
  : 'tmux is not installed, so none of them runs in a terminal and hands over to a successor. Everything else is here.';
process.stdout.write(`
  Baton is here. Open its page:

    ${link}

  A small town of agents lives there: answer its questions, review what it delivers, try again what failed.
  ${successions}
  Send one more, from another terminal:

    node dist/baton.cjs send --workspace .sample --from @me --to @you --title "My first" --input '{"hello":"world"}'

  Ctrl-C ends it, and its agents. To begin anew, delete .sample and start again.

`);
if (values['no-town'] !== true) void live(new URL(link).origin);
// The terminal tells everybody in front of it; the server ends by itself, and so do we after it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => children.forEach((child) => child.kill('SIGTERM')));
process.exitCode = (await ended(server)) ?? 0;
for (const id of terminals) await output([BATON, 'agent', 'stop', String(id), '--workspace', SAMPLE, '--json']);

/** A step of the town every few seconds, until the server is gone. */
async function live(url) {
  const made = await output([BATON, 'token', 'new', '--operator', '--as', 'operator', '--workspace', SAMPLE, '--json']);
  const town = new Town(url, JSON.parse(made).token);
  try {
    await town.settle();
    if (hasTmux) void handOverAgainAndAgain(town);
    while (server.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, Number(values.pace) * 1000));
      await town.step();
    }
  } catch (error) {
    if (server.exitCode === null) process.stderr.write(`the town has stopped: ${error.message}\n`);
  }
}

/** The writer works in a terminal; each time that its context is full, a successor goes on. */
async function handOverAgainAndAgain(town) {
  const persona = join(SAMPLE, 'data/personas/writer');
  mkdirSync(persona, { recursive: true });
  writeFileSync(join(persona, 'skill.md'), 'You write guides in plain words.\n');
  const agent = [process.execPath, join(ROOT, 'scripts/town-agent.mjs')];
  const place = ['--workspace', SAMPLE, '--cwd', SAMPLE, '--json'];
  const started = await output([
    BATON,
    'agent',
    'start',
    '--persona',
    'writer',
    '--agent',
    'command',
    ...place,
    '--',
    ...agent,
  ]);
  let { id } = JSON.parse(started);
  terminals.add(id);
  while (server.exitCode === null) {
    await new Promise((resolve) => setTimeout(resolve, SUCCESSION_MS).unref());
    const { sessions } = await town.ask(null, 'GET', '/agents');
    const active = sessions.find(({ state }) => state === 'active');
    if (active === undefined) return;
    terminals.delete(id);
    ({ id } = active);
    terminals.add(id);
    if (active.handoff === null) await town.ask(null, 'POST', `/agents/${id}/handoff`, { reason: 'context_limit' });
  }
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

function ended(child) {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}

async function run(args, stdout = 'inherit') {
  const code = await ended(start(args, ['ignore', stdout, 'inherit']));
  if (code !== 0) process.exit(code ?? 1);
}

/** The server says its link when it can be reached. */
function firstLine(child) {
  return new Promise((resolve) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.once('exit', (code) => process.exit(code ?? 1));
  });
}
