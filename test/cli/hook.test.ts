import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
    for (const args of [
      ['nobody', 'Stop'],
      ['claude', 'no-such-event'],
      ['claude'],
      [],
      ['claude', 'Stop', 'more'],
      ['claude', 'Stop', '--no-such'],
    ]) {
      expect([args, await speak(folder, args, {})]).toEqual([args, quiet]);
    }
  });

  it('S4: the event may be told by the agent alone', async () => {
    const { folder } = await makeWorkspace(sqlite);
    const input = {
      hook_event_name: 'Stop',
      session_id: 's',
      cwd: folder,
      last_assistant_message: said('  status: "complete"'),
    };
    expect((await speak(folder, ['claude'], input)).told).toMatch(/^baton: @qa completed/);
  });

  it('S4: while tasks run in the background the leg goes on, and the block counts once they have ended', async () => {
    const { folder, run } = await makeWorkspace(sqlite);
    const input = {
      session_id: 's',
      prompt_id: 'p',
      cwd: folder,
      last_assistant_message: said('  status: "complete"'),
    };
    const running = await speak(folder, ['claude', 'Stop'], {
      ...input,
      background_tasks: [{ id: 'b1', status: 'running' }],
    });
    expect(running).toMatchObject({ code: 0, told: expect.stringContaining('tasks still run') as string });
    expect(JSON.parse((await run(['list', '--json'])).stdout)).toMatchObject({ items: [] });
    expect((await speak(folder, ['claude', 'Stop'], { ...input, background_tasks: [] })).told).toContain('completed');
  });

  it('S4: the same words of Gemini CLI count in a later turn, and the transcript knows both', async () => {
    const { folder, run } = await makeWorkspace(sqlite);
    const text = said('  status: "complete"');
    const transcript = join(folder, 'session.jsonl');
    const speech = { session_id: 'g', cwd: folder, transcript_path: transcript, prompt_response: text };
    const entries: object[] = [{ sessionId: 'g', projectHash: 'h' }];
    for (const id of ['m1', 'm2']) {
      entries.push({ id, type: 'gemini', content: text });
      writeFileSync(transcript, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      const timestamp = `2026-01-01T00:00:0${id.slice(1)}Z`;
      expect((await speak(folder, ['gemini', 'AfterAgent'], { ...speech, timestamp })).told).toContain('completed');
    }
    expect(JSON.parse((await run(['ingest', '--json', 'session.jsonl'])).stdout)).toMatchObject({ done: 0, known: 2 });
  });
});
