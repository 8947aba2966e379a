import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeWorkspace, sqlite } from './workspaces.ts';

describe('what the command says', () => {
  it('sync says why a webhook is given up, to people and to programs', async () => {
    const configuration = 'notifications: { webhooks: [{ url: "http://127.0.0.1:9/hook", events: [offered] }] }\n';
    const workspace = await makeWorkspace(sqlite, configuration);
    await workspace.send('@dev');
    const told = await workspace.run(['sync']);
    expect(told).toMatchObject({
      code: 0,
      stdout: '0 handoffs changed; 0 effects delivered, 0 postponed, 1 given up\n',
    });
    expect(told.stderr).toMatch(/webhook hoff-.* is given up: 127\.0\.0\.1 is not a public address.*allow_hosts/);
    await workspace.send('@dev');
    const answered = await workspace.run(['sync', '--json']);
    expect(JSON.parse(answered.stdout)).toMatchObject({ dropped: 1 });
    expect(answered.stderr).toContain('is not a public address');
  });

  it('a result that breaks its schema is called a result', async () => {
    const { folder, run, send } = await makeWorkspace(sqlite, 'agents: { dev: { schemas: { output: pages } } }\n');
    mkdirSync(join(folder, 'schemas'));
    const schema = { type: 'object', properties: { pages: { type: 'integer' } } };
    writeFileSync(join(folder, 'schemas', 'pages.json'), JSON.stringify(schema));
    const id = await send('@dev');
    expect(await run(['accept', id, '--as', 'dev'])).toMatchObject({ code: 0 });
    const refused = await run(['deliver', id, '--fence', '1', '--as', 'dev', '--artifact', '{"pages":"two"}']);
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain('result.pages: ');
  });
});
