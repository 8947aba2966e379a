import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sendEffects } from '../../src/engine/effects.ts';
import { desktopSender } from '../../src/adapters/notifications/desktop.ts';
import { tempFolder } from '../support/processes.ts';
import { effectOf, outboxWorld } from './outbox-world.ts';

/** A screen on which somebody writes down, zero-ended, with which arguments it was called. */
function screen(program = 'notify-send', then = 'exit 0'): { env: NodeJS.ProcessEnv; seen: () => readonly string[] } {
  const folder = tempFolder();
  const path = join(folder, program);
  writeFileSync(path, `#!/bin/sh\nprintf '%s\\0' "$@" > ${folder}/seen\n${then}\n`);
  chmodSync(path, 0o755);
  return {
    env: { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ':0' },
    seen: () => readFileSync(join(folder, 'seen'), 'utf8').split('\0').slice(0, -1),
  };
}

async function show(title: string, text: string, carrier = desktopSender()): Promise<readonly unknown[]> {
  const { ctx, add, events } = outboxWorld();
  await add(effectOf('k', 'desktop', { title, text }));
  const count = await sendEffects(ctx, [carrier]);
  return [count, ...events];
}

describe('a note on the desktop', () => {
  it('goes to notify-send as arguments, after the end of options', async () => {
    const { env, seen } = screen();
    const [count] = await show('--help; $(id)', '-u critical `id`', desktopSender({ platform: 'linux', env }));
    expect(count).toMatchObject({ carried: 1 });
    expect(seen()).toEqual(['--app-name=Baton', '--', '--help; $(id)', '-u critical `id`']);
  });

  it('is plain text of a bounded size', async () => {
    const { env, seen } = screen();
    await show('a\0\u001b[2Jb\n', `<b>&</b>${'x'.repeat(10_000)}`, desktopSender({ platform: 'linux', env }));
    const [, , title, text = ''] = seen();
    expect(title).toBe('a [2Jb');
    expect(text.startsWith('&lt;b&gt;&amp;&lt;/b&gt;xxx')).toBe(true);
    expect(text.length).toBeLessThan(600);
  });

  it('goes to osascript as arguments of a fixed script', async () => {
    const { env, seen } = screen('osascript');
    await show('" & (do shell script "id") & "', '-e evil', desktopSender({ platform: 'darwin', env }));
    expect(seen().slice(-3)).toEqual(['--', '" & (do shell script "id") & "', '-e evil']);
  });

  it('goes to PowerShell through the environment, not as code', async () => {
    const { env, seen } = screen('powershell.exe', 'test "$BATON_TITLE" = "\'; evil" && test "$BATON_TEXT" = text');
    const [count] = await show("'; evil", 'text', desktopSender({ platform: 'win32', env }));
    expect(count).toMatchObject({ carried: 1 });
    expect(seen().join(' ')).not.toContain('evil');
  });

  it.each([
    ['there is no display', { PATH: '/usr/bin:/bin' }, /no display/],
    ['there is no program for it', { PATH: '/nowhere', DISPLAY: ':0' }, /could not be started \(ENOENT\)/],
  ])('is dropped, not kept for ever, when %s', async (_what, env, says) => {
    const [count, event] = await show('a', 'b', desktopSender({ platform: 'linux', env }));
    expect(count).toMatchObject({ dropped: 1 });
    expect(event).toMatchObject({ kind: 'effect-dropped', says: expect.stringMatching(says) as unknown });
  });

  it('is dropped when the program fails', async () => {
    const { env } = screen('notify-send', 'exit 3');
    expect(await show('a', 'b', desktopSender({ platform: 'linux', env }))).toMatchObject([
      { dropped: 1 },
      { says: 'notify-send failed with exit code 3' },
    ]);
  });

  it('is dropped when its payload is none', async () => {
    const { ctx, add } = outboxWorld();
    await add(effectOf('a', 'desktop', null), effectOf('b', 'desktop', { title: 7 }));
    expect(await sendEffects(ctx, [desktopSender()])).toMatchObject({ dropped: 2 });
  });
});
