import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spoolCall } from '../../src/adapters/agent-sessions/hook-spool.ts';
import { baton, tempFolder, until } from '../support/processes.ts';
import { makeWorkspace, sqlite, type Workspace } from './workspaces.ts';

const said = (more: string): string =>
  `All done.\n\n\`\`\`yaml\nhandoff:\n  phase: "QA"\n  from: "@qa"\n  to: "@deploy"\n${more}\n\`\`\`\n`;

describe('an agent’s own hook', () => {
  interface Spoken {
    readonly code: number | null;
    readonly told: string | undefined;
  }

  const call = async (folder: string, args: readonly string[], input: object | string): Promise<Spoken> => {
    const { code, stdout } = await baton(['hook', ...args], {
      cwd: folder,
      input: Buffer.from(typeof input === 'string' ? input : JSON.stringify(input)),
    });
    return { code, told: (JSON.parse(stdout) as { readonly systemMessage?: string }).systemMessage };
  };

  const spooled = (folder: string): readonly string[] => {
    try {
      return readdirSync(join(folder, '.baton', 'hooks')).filter((name) => name.endsWith('.json'));
    } catch {
      return [];
    }
  };

  /** What the agent said, and what the next hook of its session tells of it. */
  const speak = async (from: string, args: readonly string[], input: object): Promise<Spoken> => {
    const { code, told } = await call(from, args, input);
    if (told !== undefined) return { code, told };
    const { cwd = from } = input as { readonly cwd?: string };
    await until('the words are read', () => spooled(cwd).length === 0);
    return { code, told: (await call(from, [args[0] ?? '', NEXT[args[0] ?? ''] ?? ''], { ...input, cwd })).told };
  };
  const NEXT: Readonly<Record<string, string>> = {
    claude: 'user-prompt-submit',
    codex: 'user-prompt-submit',
    gemini: 'before-agent',
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
      const { code } = await call(folder, ['codex', 'Stop'], broken);
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
      expect([args, await call(folder, args, {})]).toEqual([args, quiet]);
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

  const keptCall = (text: string, turn: string): Parameters<typeof spoolCall>[1] => ({
    vendor: 'claude',
    event: 'stop',
    input: JSON.stringify({ session_id: 's', prompt_id: turn, last_assistant_message: text }),
  });
  const states = async ({ run }: Workspace): Promise<readonly string[]> =>
    (
      JSON.parse((await run(['list', '--json'])).stdout) as { readonly items: readonly { readonly state: string }[] }
    ).items
      .map(({ state }) => state)
      .toSorted();

  it('S4: what two readers find at once is read once, and in the order in which it was said', async () => {
    const workspace = await makeWorkspace(sqlite);
    const { folder } = workspace;
    const privateFolder = join(folder, '.baton');
    // The first opens a leg that the second completes: the other way round there would be two.
    spoolCall(privateFolder, keptCall(said('  status: "in_progress"').replace('  to: "@deploy"\n', ''), 't1'));
    spoolCall(privateFolder, keptCall(said('  status: "complete"'), 't2'));
    expect(spooled(folder).map((name) => name.slice(0, 9))).toEqual(['000000001', '000000002']);
    await Promise.all([1, 2].map(() => baton(['hook', '--later'], { cwd: folder })));
    expect(spooled(folder)).toEqual([]);
    expect(await states(workspace)).toEqual(['completed', 'offered']);
    expect((await call(folder, ['claude', 'user-prompt-submit'], { session_id: 's', cwd: folder })).told).toMatch(
      /^baton: @qa \S+ leg-\S+; @qa completed leg-\S+, next is leg-/,
    );
  });

  it('S4: what a database could not take is kept, told, and read when it can', async () => {
    const workspace = await makeWorkspace(sqlite);
    const { folder } = workspace;
    const configuration = join(folder, 'baton.yaml');
    const own = readFileSync(configuration, 'utf8');
    writeFileSync(join(folder, 'damaged.db'), 'no database'.repeat(100));
    writeFileSync(configuration, 'database: damaged.db\n');
    spoolCall(join(folder, '.baton'), keptCall(said('  status: "complete"'), 't1'));
    const away = await baton(['hook', '--later'], { cwd: folder });
    expect(JSON.parse(away.stdout)).toEqual({ read: 0, kept: 1 });
    writeFileSync(configuration, own);
    const back = await call(folder, ['claude', 'user-prompt-submit'], { session_id: 's', cwd: folder });
    expect(back.told).toContain('not read yet');
    // That hook has found them, and started a reader.
    await until('the words are read', () => spooled(folder).length === 0);
    expect(await states(workspace)).toEqual(['completed', 'offered']);
  });

  it('S4: words are read in the name of the one who spoke, by whoever reads them', async () => {
    const workspace = await makeWorkspace(sqlite);
    const { folder, run } = workspace;
    const input = {
      session_id: 's',
      prompt_id: 'p',
      cwd: folder,
      last_assistant_message: said('  status: "complete"'),
    };
    const spoken = await baton(['hook', 'claude', 'stop'], {
      cwd: folder,
      input: Buffer.from(JSON.stringify(input)),
      env: { BATON_AGENT: 'other' },
    });
    expect(spoken.code).toBe(0);
    await until('the words are read', () => spooled(folder).length === 0);
    // An agent cannot report in the name of another one.
    expect(await states(workspace)).toEqual([]);
    expect((await run(['hook', '--later', '--json'])).stdout.trim()).toBe('{"read":0,"kept":0}');
    expect((await call(folder, ['claude', 'user-prompt-submit'], { session_id: 's', cwd: folder })).told).toContain(
      'refused',
    );
  });
});
