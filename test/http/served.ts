/** A workspace that is served in the process of the test, and ways to ask it, also rude ones. */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { readAgentId } from '../../src/domain/names.ts';
import type { Context } from '../../src/engine/context.ts';
import { mintToken, type TokenRequest } from '../../src/workspace/identity.ts';
import type { DatabaseAddress } from '../../src/workspace/database-address.ts';
import { openWorkspace } from '../../src/app/open-workspace.ts';
import { openLog } from '../../src/app/serve/log.ts';
import { startServing } from '../../src/app/serve/serve.ts';
import { PATIENCE_MS, tempFolder } from '../support/processes.ts';
import { putDatabase } from '../support/sqlite-with-tables.ts';
import { watchAnswersOf } from './published-schema.ts';

export interface Served {
  readonly folder: string;
  readonly url: string;
  readonly port: number;
  readonly ctx: Context;
  /** What it has written into its log. */
  readonly logged: () => string;
  readonly link: string;
  /** A token of an agent, or of the operator for null. */
  readonly tokenFor: (agent: string | null, more?: Partial<TokenRequest>) => Promise<string>;
  readonly ask: (method: string, path: string, asked?: Ask) => Promise<Answer>;
  /** Bytes as they are; answers what came back until the server or the time ended it. */
  readonly raw: (text: string | readonly Buffer[]) => Promise<string>;
  readonly stop: () => Promise<void>;
}

export interface Ask {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Its body, read as JSON. */
  readonly json: never;
}

export interface ServedOptions {
  readonly configuration?: string;
  /** A workspace that was served before. */
  readonly folder?: string;
  /** Instead of the workspace's own. */
  readonly database?: DatabaseAddress;
  readonly port?: number;
  readonly allowHosts?: readonly string[];
  /** The signs of life that listeners get come as fast as that. */
  readonly beatMs?: number;
}

export async function served({
  configuration = '',
  folder,
  database,
  port = 0,
  allowHosts = [],
  beatMs,
}: ServedOptions = {}): Promise<Served> {
  const place = folder ?? newWorkspace(configuration);
  const lines: string[] = [];
  const log = openLog('debug', (text) => void lines.push(text));
  const asked = { workspace: place, ...(database === undefined ? {} : { database }) };
  const opened = present(await openWorkspace({ ...asked, report: (event) => log.event(event) }), 'a workspace');
  const app = beatMs === undefined ? opened : { ...opened, ctx: hurried(opened.ctx, beatMs) };
  const serving = await startServing(app, { host: '127.0.0.1', port, orAnyPort: false, allowHosts, log });
  const stopWatching = watchAnswersOf(serving.url);
  const over = new AbortController();
  const ended = serving.until(over.signal, over.signal);
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    over.abort();
    await ended;
    stopWatching();
    await app.close();
  };
  onTestFinished(stop);
  return {
    folder: place,
    url: serving.url,
    port: Number(new URL(serving.url).port),
    ctx: app.ctx,
    logged: () => lines.join(''),
    link: serving.link,
    tokenFor: async (agent, more = {}) => {
      const named = agent === null ? null : present(readAgentId(agent), agent);
      const wish = { agent: named, roles: [], scopes: ['read', 'write'], label: null, lifeMs: null, ...more } as const;
      return (await mintToken(app.ctx, wish, { by: 'the test' })).secret;
    },
    ask: (method, path, asked = {}) => ask(serving.url, method, path, asked),
    raw: (text) => raw(Number(new URL(serving.url).port), text),
    stop,
  };
}

/** Fifteen seconds are the pause between two signs of life, and of nothing else. */
function hurried(ctx: Context, beatMs: number): Context {
  const { timers } = ctx;
  return { ...ctx, timers: { sleep: (ms, signal) => timers.sleep(ms === 15_000 ? beatMs : ms, signal) } };
}

function newWorkspace(configuration: string): string {
  const folder = tempFolder();
  putDatabase(join(folder, '.baton', 'baton.db'));
  writeFileSync(join(folder, 'baton.yaml'), configuration);
  return folder;
}

async function ask(
  url: string,
  method: string,
  path: string,
  { token, body, headers = {}, signal }: Ask,
): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
    redirect: 'manual',
  });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    get json(): never {
      return JSON.parse(text) as never;
    },
  };
}

async function raw(port: number, text: string | readonly Buffer[]): Promise<string> {
  return new Promise((resolve) => {
    const heard: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      for (const piece of typeof text === 'string' ? [text] : text) socket.write(piece);
    });
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(Buffer.concat(heard).toString('latin1'));
    };
    const timer = setTimeout(end, PATIENCE_MS);
    socket.on('data', (bytes) => {
      heard.push(bytes);
      // One whole answer is enough: its body is as long as it says.
      const said = Buffer.concat(heard).toString('latin1');
      const [head = '', body] = said.split('\r\n\r\n', 2);
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      if (body !== undefined && length !== undefined && body.length >= Number(length)) end();
    });
    socket.on('error', end);
    socket.on('close', end);
  });
}

/** A request as a program would write it that knows no library. */
export function written(
  { port }: Pick<Served, 'port'>,
  line: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): string {
  const all = { Host: `127.0.0.1:${port}`, Connection: 'close', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${line} HTTP/1.1`, ...lines, '', body].join('\r\n');
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
}
