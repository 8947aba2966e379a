/** Two agents never work in one tree: the command of an attempt has ended before anybody can begin the next one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandDatabases } from '../cli/command-databases.ts';
import { makeWorkspace, sendWith, storyOf, NO_RETRIES } from '../cli/workspaces.ts';
import { markedProcesses, until, untilSays } from '../support/processes.ts';
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

/** Does not let itself be asked to end. */
const STUBBORN = "trap '' TERM; echo $$ > started; while :; do sleep 0.05; done";
const WHETHER_ALIVE =
  'case "$(cut -d" " -f3 "/proc/$(head -1 started)/stat" 2>/dev/null)" in ""|Z|X) echo \'"ended"\';; *) echo \'"alive"\';; esac';

describe.each(commandDatabases)('a command that does not want to end, on $name', (database) => {
  it('has ended when its work is given back after Ctrl-C', async () => {
    const { start, send, run, open, folder } = await makeWorkspace(database);
    const id = await send('@react');
    const first = start(['work', '@react', '--', 'sh', '-c', STUBBORN]);
    await until('the command has begun', () => existsSync(join(folder, 'started')));
    const second = start(['work', '@react', '--once', '--', 'sh', '-c', WHETHER_ALIVE]);
    await untilSays(second, 'working as @');
    first.signal('SIGINT');
    await untilSays(first, 'press Ctrl-C again to release it now');
    first.signal('SIGINT');
    expect(await second.ended).toMatchObject({ code: 0 });
    expect(await run(['wait', id])).toMatchObject({ code: 0, stdout: '"ended"\n' });
    expect(await storyOf(await open(), id)).toContain('release by @react');
    expect(await first.ended).toMatchObject({ code: 130 });
  });

  it('Q10: has ended when its time is over and the next attempt begins', async () => {
    const { start, run, open, folder } = await makeWorkspace(database);
    const ctx = await open();
    const retry = { ...NO_RETRIES.retry, retriesMax: 1, delayMs: 0 };
    const id = await sendWith(ctx, '@react', { retry, attemptTimeoutMs: 1_000 });
    const first = start(['work', '@react', '--once', '--', 'sh', '-c', STUBBORN]);
    await until('the command has begun', () => existsSync(join(folder, 'started')));
    const second = start(['work', '@react', '--once', '--', 'sh', '-c', WHETHER_ALIVE]);
    expect(await second.ended).toMatchObject({ code: 0 });
    expect(await run(['wait', id])).toMatchObject({ code: 0, stdout: '"ended"\n' });
    expect(await storyOf(ctx, id)).toContain('retry by @react');
    expect(await first.ended).toMatchObject({ code: 0 });
  });

  it('I21: nothing of it is left when it has ended by itself but left children behind', async () => {
    const { send, run } = await makeWorkspace(database);
    await send('@react');
    const worked = await run(['work', '@react', '--once', '--', 'sh', '-c', 'sleep 300 >&- 2>&- & echo 1']);
    expect(worked.code).toBe(0);
    await until('no child is left', () => !markedProcesses().some(({ command }) => command.startsWith('sleep')));
  });
});
