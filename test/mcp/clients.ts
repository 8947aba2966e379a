/** The official MCP client of both revisions, against `baton mcp` and against `/mcp`. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { BATON } from '../support/processes.ts';
import type { Served } from '../http/served.ts';

export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

function clientOf(revision: Revision): Client {
  const mode = revision === '2026-07-28' ? ({ pin: revision } as const) : 'legacy';
  return new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
}

export async function overStdio(
  folder: string,
  revision: Revision,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const client = clientOf(revision);
  onTestFinished(() => client.close());
  const path = process.env['PATH'] ?? '';
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [BATON, 'mcp', ...args],
      cwd: folder,
      env: { PATH: path, ...env },
      stderr: 'ignore',
    }),
  );
  return client;
}

export async function overHttp({ url }: Served, revision: Revision, token: string): Promise<Client> {
  const client = clientOf(revision);
  onTestFinished(() => client.close());
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
  return client;
}

/** Of what tools answer, as much as tests look at by name. */
interface Told {
  readonly handoff: { readonly id: string };
  readonly taken: { readonly fence: number; readonly until: string; readonly since: string };
}

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  /** What a program reads. */
  readonly value: Told;
}

export async function call(client: Client, name: string, given: object = {}): Promise<ToolAnswer> {
  const answer = await client.callTool({ name, arguments: { ...given } });
  const [first] = answer.content as readonly { readonly text?: string }[];
  return {
    isError: answer.isError === true,
    text: first?.text ?? '',
    value: (answer.structuredContent ?? {}) as unknown as Told,
  };
}
