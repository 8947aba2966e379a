/** The published description, read by a generator of clients that is not ours: what it makes compiles, and works. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import openapiTS, { astToString } from 'openapi-typescript';
import { expect, it } from 'vitest';
import { start } from '../support/processes.ts';
import { ROOT } from '../support/source-files.ts';
import { served } from './served.ts';

/** As somebody would write it who has nothing but the description. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';

export async function passes(url: string, token: string): Promise<readonly string[]> {
  const client = createClient<paths>({ baseUrl: url, headers: { authorization: 'Bearer ' + token } });
  const sent = await client.POST('/api/handoffs', { body: { from: '@lead', to: '@react', title: 'by a client', input: { a: 1 } } });
  if (sent.data === undefined) throw new Error(sent.error.detail);
  const { id, state } = sent.data;
  const page = await client.GET('/api/handoffs', { params: { query: { state: ['offered'] } } });
  const titles = page.data?.items.map((each) => each.title ?? '') ?? [];
  const ended = await client.POST('/api/handoffs/{id}/cancel', { params: { path: { id } }, body: { reason: 'enough' } });
  const flows = await client.GET('/api/workflows');
  const again = await client.POST('/api/handoffs/{id}/cancel', { params: { path: { id } }, body: {} });
  return [state, ...titles, ended.data?.state ?? '', String(flows.data?.items.length), again.error?.code ?? ''];
}

export async function doesNotCompile(url: string): Promise<void> {
  const client = createClient<paths>({ baseUrl: url });
  // @ts-expect-error: there is no such path
  await client.GET('/api/handofs');
  // @ts-expect-error: a handoff needs somebody to go to
  await client.POST('/api/handoffs', { body: { title: 'to nobody' } });
  // @ts-expect-error: there is no such state
  await client.GET('/api/handoffs', { params: { query: { state: ['lost'] } } });
}
`;

it('a client that openapi-typescript makes from the description compiles, and hands work over', async ({
  onTestFinished,
}) => {
  const server = await served();
  const token = await server.tokenFor(null);
  const description = await (await fetch(`${server.url}/openapi.json`)).json();
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'generated-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'api.d.ts'), astToString(await openapiTS(description as never)));
  writeFileSync(join(folder, 'client.ts'), PROGRAM);
  const options = { target: 'es2023', lib: ['es2023', 'dom'], module: 'nodenext', types: [], strict: true };
  const compilerOptions = { ...options, noEmit: true, allowImportingTsExtensions: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts'] }));
  const compiler = join(ROOT, 'node_modules/typescript7/bin/tsc');
  const compiled = await start(process.execPath, [compiler, '-p', folder], { cwd: ROOT }).ended;
  expect(compiled).toMatchObject({ code: 0, stdout: '' });

  const { code } = await transform(PROGRAM, { loader: 'ts' });
  writeFileSync(join(folder, 'client.mjs'), code);
  const client = (await import(pathToFileURL(join(folder, 'client.mjs')).href)) as {
    passes(url: string, token: string): Promise<readonly string[]>;
  };
  expect(await client.passes(server.url, token)).toEqual([
    'offered',
    'by a client',
    'cancelled',
    '0',
    'move-not-allowed',
  ]);
});
