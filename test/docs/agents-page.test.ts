/** README and guide show the exchange that `npm run test:agents` runs, with the commands that it runs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MCP_TOOLS } from '../../src/interfaces/mcp/tools.ts';
import { EXCHANGE } from '../agents/exchange.ts';
import { ROOT } from '../support/source-files.ts';

const page = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

it.each(['README.md', 'docs/guides/three-agents.md'])('%s types what the test types', (name) => {
  const text = page(name);
  expect(Object.values(EXCHANGE).filter((line) => !text.includes(`$ ${line}\n`))).toEqual([]);
});

it('the page of the MCP server names every tool', () => {
  const text = page('docs/reference/mcp.md');
  expect(MCP_TOOLS.filter(({ name }) => !text.includes(`\`${name}\``))).toEqual([]);
});
