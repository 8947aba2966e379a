import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeWorkspace, sqlite } from '../cli/workspaces.ts';

const LIMITED = 'agents:\n  react: { limits: { incoming: 1 } }\n';
const SEND = ['send', '--from', 'me', '--to', 'react'];

describe('what is kept of a configuration', () => {
  it('counts only for the text it was made from, and only if it is whole', async () => {
    const { run, folder } = await makeWorkspace(sqlite, LIMITED);
    const kept = join(folder, '.baton', 'configuration.json');
    expect(await run(SEND)).toMatchObject({ code: 0 });
    expect(existsSync(kept)).toBe(true);
    expect(await run(SEND)).toMatchObject({ code: 6 });
    writeFileSync(join(folder, 'baton.yaml'), LIMITED.replace('1', '2'));
    expect(await run(['apply'])).toMatchObject({ code: 0 });
    expect(await run(SEND)).toMatchObject({ code: 0 });
    for (const text of ['', '{"mark":', 'null', '[]', '{"mark":"x","text":{}}']) {
      writeFileSync(kept, text);
      expect(await run(SEND)).toMatchObject({ code: 6 });
    }
    expect(readFileSync(kept, 'utf8')).toContain('"mark"');
    writeFileSync(join(folder, 'baton.yaml'), 'projct: x\n');
    expect(await run(SEND)).toMatchObject({ code: 5 });
  });
});
