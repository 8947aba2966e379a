import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { baton, startBaton, tempFolder, untilSays } from '../support/processes.ts';

describe('baton demo', () => {
  it('plays a relay with one failure and tells every fact of it', async () => {
    const { code, stdout, stderr } = await baton(['demo'], { cwd: tempFolder() });
    expect(code).toBe(0);
    expect(stdout).toMatch(/@planner → @builder[^]*create[^]*accept[^]*retry[^]*accept[^]*verify[^]*arrived: \{/);
    expect(stderr).toContain('Next: baton init');
  });

  it('plays in a workspace of its own beside a server that was killed', async () => {
    const folder = tempFolder();
    await baton(['init'], { cwd: folder });
    const serving = startBaton(['serve', '--port', '0'], { cwd: folder });
    await untilSays(serving, 'login?code=');
    serving.signal('SIGKILL');
    await serving.ended;
    const { code, stderr } = await baton(['demo'], { cwd: folder });
    expect([code, stderr.includes('does not answer')]).toEqual([0, false]);
    expect(stderr).toContain('Next: baton init');
  });

  it('I21: answers programs with the result, and leaves nothing behind', async () => {
    const folder = tempFolder();
    const { code, stdout, stderr } = await baton(['demo', '--json'], { cwd: folder, env: { TMPDIR: folder } });
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ approved: true });
    expect(readdirSync(folder)).toEqual([]);
  });
});
