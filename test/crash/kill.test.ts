import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as breath } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openDatabase, prepare, type Database } from '../../src/stores/sqlite/binding.ts';
import { databases, dutyPidOf, factsOf, makeWorkspace, sqlite, storyOf, type Workspace } from '../cli/workspaces.ts';
import { isAlive, markedProcesses, until, untilSays, type Running } from '../support/processes.ts';
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

/** A command with a child in the background: both have to go. */
const LONG_COMMAND = 'echo $$ >> started; sleep 300 & sleep 300';
const NO_SLEEPERS = (): boolean => !markedProcesses().some(({ command }) => command.startsWith('sleep 300'));

/** Tells whether the process whose number stands in the file still runs; what waits to be buried does not. */
const TELL_WHETHER_ALIVE =
  'case "$(cut -d" " -f3 "/proc/$(head -1 started)/stat" 2>/dev/null)" in ""|Z|X) echo \'"ended"\';; *) echo \'"alive"\';; esac';

describe.each(databases)('kill -9 on $name', (database) => {
  async function startLongWork({ start, folder }: Workspace): Promise<Running> {
    const worker = start(['work', '@react', '--', 'sh', '-c', LONG_COMMAND]);
    await until('the command has started', () => existsSync(join(folder, 'started')));
    return worker;
  }

  it('I14, I6: in the middle of an attempt: its command is ended with all its children, then another worker begins', async () => {
    const workspace = await makeWorkspace(database);
    const ctx = await workspace.open();
    const id = await workspace.send('@react');
    const first = await startLongWork(workspace);
    const second = workspace.start(['work', '@react', '--once', '--', 'sh', '-c', TELL_WHETHER_ALIVE]);
    await untilSays(second, 'working as @');

    first.signal('SIGKILL');
    expect(await second.ended).toMatchObject({ code: 0 });
    await until('no child of the command is left', NO_SLEEPERS);

    const facts = await factsOf(ctx, id);
    expect(facts.map((fact) => `${fact.deed} by ${fact.by}, fence ${fact.fence}`)).toEqual([
      'create by @me, fence 0',
      'accept by @react, fence 1',
      'release by system, fence 1',
      'accept by @react, fence 2',
      'deliver by @react, fence 2',
      'complete by system, fence 2',
    ]);
    const reason = expect.stringMatching(new RegExp(`^session \\S+ of process ${first.pid} is gone$`)) as unknown;
    expect(JSON.parse(facts[2]?.detail ?? '')).toEqual({ reason });
    const outcome = (await ctx.store.load(id))?.outcome;
    expect(JSON.parse(outcome ?? '')).toEqual({ kind: 'result', result: 'ended' });
  });

  it('I14: of the one who has the duty: another takes it over and recovers what was held', async () => {
    const workspace = await makeWorkspace(database);
    const ctx = await workspace.open();
    const id = await workspace.send('@react');
    const first = await startLongWork(workspace);
    await until('the first has the duty', async () => (await dutyPidOf(ctx)) === first.pid);
    // This one works for somebody else: all it can do for the handoff is to notice.
    const second = workspace.start(['work', '@other', '--', 'cat']);
    await untilSays(second, 'working as @');
    first.signal('SIGKILL');
    await until('the second has the duty', async () => (await dutyPidOf(ctx)) === second.pid);
    await until('it is offered again', async () => (await ctx.store.load(id))?.handoff.state === 'offered');
    expect(await storyOf(ctx, id)).toEqual(['create by @me', 'accept by @react', 'release by system']);
    await untilSays(second, `${id} taken back: session `);
    await until('no child of the command is left', NO_SLEEPERS);
  });

  it('I14: of everybody: whoever comes next finds and recovers it', async () => {
    const workspace = await makeWorkspace(database);
    const id = await workspace.send('@react');
    const first = await startLongWork(workspace);
    first.signal('SIGKILL');
    await first.ended;
    await until('its command goes on without it', () => !NO_SLEEPERS());
    const second = await workspace.run(['work', '@react', '--once', '--', 'sh', '-c', TELL_WHETHER_ALIVE]);
    expect(second.code).toBe(0);
    expect(await workspace.run(['wait', id])).toMatchObject({ code: 0, stdout: '"ended"\n' });
    await until('no child of the command is left', NO_SLEEPERS);
  });

  it('I13: work that kills every worker fails in the end, and says so', async () => {
    const { send, start, run, open } = await makeWorkspace(database);
    const id = await send('@react');
    // The parent of the command is the worker.
    const command = ['sh', '-c', 'kill -9 $PPID; sleep 300'];
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await start(['work', '@react', '--', ...command]).ended;
    }
    const waited = await run(['wait', id, '--json', '--timeout', '20']);
    expect(waited.code).toBe(8);
    expect(JSON.parse(waited.stdout)).toMatchObject({ state: 'failed', attempt: 4, failure: { code: 'WORKER_LOST' } });
    const deeds = (await factsOf(await open(), id)).map((fact) => fact.deed);
    const again = ['accept', 'release'];
    expect(deeds).toEqual(['create', ...again, ...again, ...again, 'accept', 'fail']);
    await until('no child of the command is left', NO_SLEEPERS);
  });
});

describe('kill -9 in the first moment, on sqlite', () => {
  it('I8, I14: between the claim and the start of the command: the command never begins', async () => {
    const workspace = await makeWorkspace(sqlite);
    await workspace.send('@somebody');
    let tries = 0;
    const lock = lockOn(join(workspace.folder, '.baton', 'baton.db'));
    try {
      const { worker, agent } = await until('a worker that has claimed and not put its command on record', async () => {
        const name = `react-${(tries += 1)}`;
        await workspace.send(name);
        const candidate = workspace.start(['work', name, '--', 'sh', '-c', LONG_COMMAND]);
        // With the write lock in our hands its command cannot be put on record, so it may not begin either.
        if (await lock.takenAfterClaim(name)) return { worker: candidate, agent: name };
        candidate.signal('SIGKILL');
        await candidate.ended;
        return null;
      });
      rmSync(join(workspace.folder, 'started'), { force: true });
      const shell = await until('the command stands at its gate', () =>
        markedProcesses().find(({ command }) => command.startsWith('/bin/sh -c read -r _ <&3')),
      );
      worker.signal('SIGKILL');
      await worker.ended;
      await until('what stood at the gate has gone away', () => !isAlive(shell.pid));
      expect(existsSync(join(workspace.folder, 'started'))).toBe(false);
      lock.release();
      expect(await workspace.run(['work', agent, '--once', '--', 'cat'])).toMatchObject({ code: 0 });
    } finally {
      lock.release();
    }
  });

  it('I14: at any moment of the first second: no command outlives the recovery of its handoff', async () => {
    const workspace = await makeWorkspace(sqlite);
    const ctx = await workspace.open();
    const id = await workspace.send('@react', {}, ['--timeout', '600']);
    const killed: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const worker = workspace.start(['work', '@react', '--', 'sh', '-c', LONG_COMMAND]);
      const fence = round + 1;
      await until('it has claimed', async () => (await ctx.store.load(id))?.handoff.fence === fence);
      worker.signal('SIGKILL');
      killed.push(worker.pid);
      await worker.ended;
    }
    const last = await workspace.run(['work', '@react', '--once', '--', 'sh', '-c', 'echo $$ >> started; echo 1']);
    expect(last.code).toBe(0);
    await until('no child of any command is left', NO_SLEEPERS);
    const begun = readFileSync(join(workspace.folder, 'started'), 'utf8').trim().split('\n').length;
    console.log(`killed ${killed.length} workers right after their claim: ${begun - 1} commands had begun`);
  });
});

interface Lock {
  /** Takes the write lock as soon as somebody has claimed; false when they were faster with what comes next. */
  takenAfterClaim(agent: string): Promise<boolean>;
  release(): void;
}

function lockOn(path: string): Lock {
  const database = openDatabase(path, { sync: 'normal' });
  const state = prepare(
    database,
    `SELECT groups FROM session JOIN handoff ON handoff.session = session.n JOIN agent ON agent.n = session.agent
     WHERE agent.name = ?`,
  );
  // Closing alone would keep the lock until the statement above is collected as garbage.
  const letGo = (): void => {
    if (database.isTransaction) database.exec('ROLLBACK');
  };
  return {
    takenAfterClaim: async (agent) => {
      while (state.get(agent) === undefined || !takeLock(database)) await breath();
      const isEarly = state.get(agent)?.[0] === '[]';
      if (!isEarly) letGo();
      return isEarly;
    },
    release: () => {
      if (!database.isOpen) return;
      letGo();
      database.close();
    },
  };
}

function takeLock(database: Database): boolean {
  try {
    database.exec('BEGIN IMMEDIATE');
    return true;
  } catch {
    return false;
  }
}
