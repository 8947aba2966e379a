/** Runs a relay between agents, against a running server or in a temporary workspace. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FactView, HandoffView } from '../../shared/views.ts';
import { systemTimers } from '../../../foundation/clock.ts';
import { systemLiveness } from '../../../adapters/processes/liveness.ts';
import { readServingFile, servedBy } from '../../../workspace/serving-file.ts';
import { workspaceFor } from '../../../workspace/workspace.ts';
import { runRelay } from '../demo/relay.ts';
import { openDemoServer } from '../demo/demo-server.ts';
import { secondsArgument } from '../arguments.ts';
import { theApp } from '../app.ts';
import { cliProblem } from '../problem.ts';
import type { CommonOptions, Texts } from '../with-workspace.ts';
import { answerColours, type Output } from '../output.ts';

type DemoOptions = CommonOptions & Texts<'server' | 'pace'>;

interface Reached {
  readonly url: string;
  /** The token of an operator. */
  readonly token: string;
  readonly isOwn: boolean;
  close(): Promise<void>;
}

const PACE_MAX_SECONDS = 60;
const WATCHED_MS = 1_000;

export async function demo(_args: readonly string[], options: DemoOptions, output: Output): Promise<void> {
  const paceMs = options.pace === undefined ? null : secondsArgument(options.pace, '--pace', 0, PACE_MAX_SECONDS);
  const server = serverIn(options) ?? (await ownServer());
  const pauseMs = paceMs ?? (server.isOwn ? 0 : WATCHED_MS);
  const stage = openDemoServer(server.url, server.token);
  const printedRevisions = new Map<string, number>();
  let last = '';

  const shown = async (handoff: HandoffView): Promise<void> => {
    if (output.json) return;
    const known = printedRevisions.get(handoff.id) ?? 0;
    const facts = (await stage.facts(handoff.id)).filter(({ revision }) => revision > known);
    printedRevisions.set(handoff.id, facts.at(-1)?.revision ?? known);
    if (last !== handoff.id) output.line(heading(handoff));
    last = handoff.id;
    for (const fact of facts) output.line(factLine(fact));
  };
  try {
    output.note(`a relay between agents at ${server.url}`);
    const pause = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, pauseMs));
    const arrived = await runRelay({ server: stage, shown, pause });
    if (output.json) output.answer(arrived);
    else output.line(`\n${answerColours.green('arrived')}: ${JSON.stringify(arrived)}`);
    output.note('The relay is complete. Every step is a fact in the database, hashed with the one before it.');
    if (server.isOwn)
      output.note('Next: baton init, then baton serve, and "baton work @react -- cat" in another terminal.');
  } finally {
    await stage.close();
    await server.close();
  }
}

function serverIn({ server, workspace }: DemoOptions): Reached | null {
  const close = async (): Promise<void> => undefined;
  if (server !== undefined) {
    if (!URL.canParse(server)) throw cliProblem('bad-request', `--server ${JSON.stringify(server)}: not a URL`);
    const token = process.env['BATON_TOKEN'] ?? '';
    if (token === '') throw cliProblem('token-needed', "--server needs an operator's token in BATON_TOKEN");
    return { url: server, token, isOwn: false, close };
  }
  const place = workspaceFor(workspace);
  // A killed server leaves its file behind, so the process is checked.
  const file = place === null ? null : servedBy(place, systemLiveness(systemTimers));
  return file === null ? null : { url: file.url, token: file.token, isOwn: false, close };
}

async function ownServer(): Promise<Reached> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-demo-'));
  // Also removed when the process ends early because nobody reads its output.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { makeWorkspace, openWorkspace, openLog, startServing } = theApp();
  await makeWorkspace(folder);
  const app = await openWorkspace({ workspace: folder });
  if (app === null) throw new Error(`no workspace in ${folder}`);
  const log = await openLog('error', (text) => void process.stderr.write(text));
  const { url, until } = await startServing(app, {
    host: '127.0.0.1',
    port: 0,
    orAnyPort: false,
    allowHosts: [],
    log,
  });
  const stop = new AbortController();
  const stopped = until(stop.signal, stop.signal);
  const token = app.workspace === null ? null : readServingFile(app.workspace)?.token;
  return {
    url,
    token: token ?? '',
    isOwn: true,
    close: async () => {
      stop.abort('over');
      await stopped;
      await app.close();
    },
  };
}

function heading({ from, to, title, id }: HandoffView): string {
  return `\n${answerColours.bold(`${from} → ${to}`)}  ${title ?? ''}  ${answerColours.dim(id)}`;
}

function factLine({ at, deed, to, by, fence, detail, hash }: FactView): string {
  const holder = fence === 0 ? '' : ` fence ${fence}`;
  const why = detail === undefined ? '' : `  ${answerColours.dim(JSON.stringify(detail))}`;
  const mark = answerColours.dim(`#${hash.slice(0, 8)}`);
  return `  ${at.slice(11, 23)}  ${deed.padEnd(8)} → ${to.padEnd(9)} ${by}${holder}${why}  ${mark}`;
}
