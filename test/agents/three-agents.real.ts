import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { agentProject, type AgentProject } from './real-agents.ts';
import { EXCHANGE, modelsOfExchange } from './exchange.ts';
import type { Ended } from '../support/processes.ts';

let project: AgentProject | null = null;
afterEach(async () => project?.close());

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly result: Record<string, unknown>;
  readonly facts: readonly { readonly deed: string; readonly by: string; readonly detail?: Record<string, unknown> }[];
}

const transcript: string[] = [];

async function typed(line: string): Promise<Ended> {
  const ended = await (project as AgentProject).sh(line);
  transcript.push(`$ ${line}`, ended.stdout.trim(), '');
  expect({ line, ...ended }).toMatchObject({ code: 0 });
  return ended;
}

it('Claude Code sends by MCP, Codex works without a terminal, Gemini verifies by MCP: completed', async () => {
  project = await agentProject(modelsOfExchange);
  writeFileSync(join(project.folder, 'add.js'), 'export const add = (a, b) => a - b;\n');
  await typed('baton init');
  await typed('baton setup claude codex gemini | tail -n 5');
  await typed(EXCHANGE.claude);
  await typed('baton list');
  await typed(EXCHANGE.codex);
  await typed(EXCHANGE.gemini);
  const { items } = JSON.parse((await project.sh('baton list --json')).stdout) as { readonly items: readonly Shown[] };
  await typed(`baton show ${items[0]?.id ?? ''}`);
  const shown = JSON.parse((await project.sh(`baton show ${items[0]?.id ?? ''} --json`)).stdout) as Shown;
  if (process.env['BATON_RECORD'] !== undefined) writeFileSync(process.env['BATON_RECORD'], transcript.join('\n'));
  expect(shown.state).toBe('completed');
  expect(shown.result).toEqual({ verdict: 'add() subtracts' });
  const told = shown.facts.map(({ deed, by }) => `${deed} ${by}`).filter((fact) => !fact.startsWith('progress'));
  expect(told).toEqual(['create @claude', 'accept @codex', 'deliver @codex', 'verify @gemini']);
  const run = shown.facts.find(({ deed }) => deed === 'deliver')?.detail?.['agent'];
  expect(run).toMatchObject({ vendor: 'codex', session: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown });
});
