import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/workspace/configuration.ts';
import { quickBaton, tempFolder } from '../support/processes.ts';

/** The specification's table: most active outgoing, most active incoming. */
const TABLE = {
  grok: [10, 5],
  claude: [5, 10],
  abacus: [5, 10],
  perplexity: [3, 15],
  gemini: [5, 10],
} as const;

async function sampleWorkspace(): Promise<string> {
  const folder = tempFolder();
  await quickBaton(['init', '--template', 'documents'], { cwd: folder });
  return folder;
}

describe('the template for documents', () => {
  it("D5, D8, D10: holds the specification's limits, a default for all others, its verifier and its chief", async () => {
    const { limits, verifiers, roles } = readConfiguration(join(await sampleWorkspace(), 'baton.yaml'));
    const read = [...limits.agents].map(([agent, { outgoingMax, incomingMax }]) => [agent, [outgoingMax, incomingMax]]);
    expect(Object.fromEntries(read)).toEqual(TABLE);
    expect(limits.everyone).toEqual({ outgoingMax: 5, incomingMax: 10 });
    expect(verifiers).toEqual(['perplexity']);
    expect(roles.get('grok' as never)).toEqual(['chief']);
  });

  it('D5: refuses the one too many in each direction, and says whose, which way, how many of how many', async () => {
    const folder = await sampleWorkspace();
    const create = (from: string, to: string): ReturnType<typeof quickBaton> => {
      const args = ['create', '--document', '--json', '--from', from, '--to', to, '--task', 'T-1', '--title', 'x'];
      return quickBaton(args, { cwd: folder });
    };
    for (const to of ['claude', 'gemini', 'abacus']) expect((await create('perplexity', to)).code).toBe(0);
    const outgoing = await create('perplexity', 'newcomer');
    expect(outgoing.code).toBe(6);
    expect(outgoing.stderr).toContain('"agent":"perplexity","direction":"outgoing","count":3,"max":3');
    for (let count = 0; count < 5; count += 1) expect((await create('claude', 'grok')).code).toBe(0);
    const incoming = await create('stranger', 'grok');
    expect(incoming.code).toBe(6);
    expect(incoming.stderr).toContain('"agent":"grok","direction":"incoming","count":5,"max":5');
  });
});
