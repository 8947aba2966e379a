import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { served } from './served.ts';

const block = (more: string): string =>
  `Done.\n\n\`\`\`yaml\nhandoff:\n  phase: "Testing"\n  from: "@tester"\n${more}\n\`\`\`\n`;

describe('summaries over HTTP', () => {
  it('S4: are taken once, lead to the next leg, and add up to a project', async () => {
    const { ask, tokenFor } = await served({ configuration: 'project: shop\n' });
    const token = await tokenFor(null);
    const body = { text: block('  to: "@fixer"\n  status: "complete"'), session: 's-1', turn: '7' };
    const first = await ask('POST', '/api/summaries', { token, body });
    expect([first.status, first.json]).toMatchObject([200, { blocks: [{ fate: 'done', from: 'tester', line: 3 }] }]);
    const again = await ask('POST', '/api/summaries', { token, body });
    expect(again.json).toMatchObject({ blocks: [{ fate: 'known' }] });
    const offered = await ask('GET', '/api/handoffs?to=fixer', { token });
    expect(offered.json).toMatchObject({ items: [{ state: 'offered', from: '@tester' }] });
    const flows = await ask('GET', '/api/workflows', { token });
    expect(flows.json).toMatchObject({ items: [{ project: 'shop', told: 1, open: [{ to: '@fixer' }] }] });
    expect((await ask('GET', '/api/workflows/shop', { token })).json).toMatchObject({ project: 'shop', told: 1 });
    expect((await ask('GET', '/api/workflows/none', { token })).json).toMatchObject({ code: 'no-such-project' });
  });

  it('S2: a block that is wrong has its answer with the line, and nobody speaks for another', async () => {
    const { ask, tokenFor } = await served();
    const strict = { text: block('  to: "None"\n  status: "fertig"'), file: 'a.md', strict: true };
    const wrong = await ask('POST', '/api/summaries', { token: await tokenFor(null), body: strict });
    expect(wrong.json).toMatchObject({ blocks: [{ fate: 'invalid', problems: [{ field: 'status', line: 8 }] }] });
    const other = { text: block('  to: "None"\n  status: "complete"'), file: 'b.md' };
    const refused = await ask('POST', '/api/summaries', { token: await tokenFor('mallory'), body: other });
    expect(refused.json).toMatchObject({ blocks: [{ fate: 'refused', refusal: { code: 'not-speaker' } }] });
    const nowhere = await ask('POST', '/api/summaries', { token: await tokenFor(null), body: { text: 'x' } });
    expect([nowhere.status, nowhere.json]).toMatchObject([400, { code: 'bad-request' }]);
  });
});

describe('artifacts over HTTP', () => {
  it('Q14: are registered, found and shown, and a path that leads out is refused', async () => {
    const { ask, tokenFor, folder } = await served();
    const token = await tokenFor(null);
    mkdirSync(join(folder, 'artifacts/phase-01-stack'), { recursive: true });
    const artifact = {
      artifact_id: 'stack-1',
      artifact_type: 'tech-stack',
      content: { node: 20 },
      validation: { status: 'passed' },
    };
    writeFileSync(join(folder, 'artifacts/phase-01-stack/stack-1.json'), JSON.stringify(artifact));
    const made = await ask('POST', '/api/artifacts', {
      token,
      body: { path: 'artifacts/phase-01-stack/stack-1.json' },
    });
    expect([made.status, made.json]).toMatchObject([201, { artifact_id: 'stack-1' }]);
    expect((await ask('GET', '/api/artifacts?type=tech-stack', { token })).json).toMatchObject({
      items: [{ artifact_id: 'stack-1' }],
    });
    expect((await ask('GET', '/api/artifacts/stack-1', { token })).json).toMatchObject({
      artifact: { content: { node: 20 } },
    });
    for (const path of ['artifacts/../../x.json', '/etc/passwd', 'artifacts/none.json']) {
      const refused = await ask('POST', '/api/artifacts', { token, body: { path } });
      expect([path, refused.status, refused.json]).toMatchObject([path, 422, { code: 'artifact-unfit' }]);
    }
    const agent = await ask('POST', '/api/artifacts', { token: await tokenFor('a'), body: { path: 'x' } });
    expect([agent.status, agent.json]).toMatchObject([403, { code: 'not-yours' }]);
  });
});
