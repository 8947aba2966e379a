import { describe, expect, it } from 'vitest';
import { baton, tempFolder } from '../support/processes.ts';
import { makeWorkspace, sqlite } from './workspaces.ts';

const said = (more: string): string =>
  `All done.\n\n\`\`\`yaml\nhandoff:\n  phase: "QA"\n  from: "@qa"\n  to: "@deploy"\n${more}\n\`\`\`\n`;

describe('an agent’s own hook', () => {
  const speak = async (
    folder: string,
    args: readonly string[],
    input: object | string,
  ): Promise<{ readonly code: number | null; readonly told: string | undefined }> => {
    const { code, stdout } = await baton(['hook', ...args], {
      cwd: folder,
      input: Buffer.from(typeof input === 'string' ? input : JSON.stringify(input)),
    });
    return { code, told: (JSON.parse(stdout) as { readonly systemMessage?: string }).systemMessage };
  };

  it.each([
    ['claude', 'Stop', 'last_assistant_message'],
    ['codex', 'stop', 'last_assistant_message'],
    ['gemini', 'AfterAgent', 'prompt_response'],
  ])('S4: what %s said last at %s is read once', async (vendor, event, field) => {
    const { folder, run } = await makeWorkspace(sqlite);
    const input = { session_id: 's1', turn_id: 't1', cwd: folder, [field]: said('  status: "complete"') };
    const first = await speak(tempFolder(), [vendor, event], input);
    expect(first.code).toBe(0);
    expect(first.told).toMatch(/^baton: @qa completed leg-\S+, next is leg-/);
    expect(await speak(tempFolder(), [vendor, event], input)).toEqual({ code: 0, told: undefined });
    const { stdout } = await run(['list', '--json', '--agent', '@deploy']);
    expect(stdout.match(/"state": ?"offered"/g)).toHaveLength(1);
  });

  it('never stands in the way of its agent', async () => {
    const { folder } = await makeWorkspace(sqlite);
    const quiet = { code: 0, told: undefined };
    expect(await speak(folder, ['claude', 'PreToolUse'], { cwd: folder })).toEqual(quiet);
    expect(await speak(folder, ['claude', 'Stop'], { cwd: folder, last_assistant_message: 'Just words.' })).toEqual(
      quiet,
    );
    const elsewhere = tempFolder();
    const complete = said('  status: "complete"');
    expect(await speak(elsewhere, ['claude', 'Stop'], { last_assistant_message: complete })).toEqual(quiet);
    for (const broken of ['', 'garbage', '[1]', '{"cwd":"']) {
      const { code } = await speak(folder, ['codex', 'Stop'], broken);
      expect([broken, code]).toEqual([broken, 0]);
    }
    const wrong = await speak(folder, ['claude', 'Stop'], {
      cwd: folder,
      last_assistant_message: said('  status: "blocked"'),
    });
    expect(wrong.code).toBe(0);
    expect(wrong.told).toContain('does not say by what');
    expect(await speak(folder, ['nobody', 'Stop'], {})).toEqual(quiet);
    expect(await speak(folder, ['claude', 'no-such-event'], {})).toEqual(quiet);
  });
});
