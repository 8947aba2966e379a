/**
 * Two machines with the same host name and the same machine id, as clones have them, on one PostgreSQL: each with its
 * own boot id, process ids, network and host name (Linux namespaces). Their workers are killed at random.
 * BATON_MACHINES_SECONDS makes it longer.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { openApp } from '../../src/app/open-app.ts';
import { jsonLines } from '../cli/workspaces.ts';
import { privatePostgres, WITHOUT_POSTGRES, type PrivatePostgres } from '../support/private-postgres.ts';
import { start, tempFolder, until, type Running } from '../support/processes.ts';
import { campaignSize } from '../support/campaign-sizes.ts';
import { usePrograms } from './built-programs.ts';
import { complaintsAbout, everythingIn } from './soundness.ts';

const SECONDS = campaignSize('BATON_MACHINES_SECONDS');
const KILL_EVERY_MS = 700;
const WORKERS = 2;
/** Nobody here is silent for this long, however busy the machine is; a kill on the same machine is seen at once. */
const LEASE_MS = 60_000;
const PATIENCE_MS = 120_000;
const NO_NAMESPACES = 'needs root and Linux namespaces (unshare)';

const programs = usePrograms([
  new URL('./programs/machine.ts', import.meta.url),
  new URL('./programs/storm-sender.ts', import.meta.url),
  new URL('./programs/storm-worker.ts', import.meta.url),
]);

interface Said {
  readonly machine?: string;
  readonly sent?: HandoffId;
  readonly completed?: HandoffId;
  readonly killed?: number;
  readonly calm?: true;
  /** A worker that lives was told that its session is over. */
  readonly lost?: string;
  readonly refused?: string;
  readonly fault?: string;
}

describe('two machines with the same name', () => {
  it(
    'I3, I6, I14: nothing is lost, and no worker that lives is declared dead',
    async ({ skip }) => {
      if (!canUnshare()) return skip(NO_NAMESPACES);
      const server = await privatePostgres({ fsync: false });
      if (server === null) return skip(WITHOUT_POSTGRES);
      onTestFinished(() => server.remove());
      await server.createDatabase('twins');
      const database = { kind: 'postgres', url: await socketAddress(server, 'twins') } as const;
      const app = await openApp({ database, limits: NO_LIMITS });
      onTestFinished(() => app.close());
      const order = { database, leaseMs: LEASE_MS, workers: WORKERS, killEveryMs: KILL_EVERY_MS };
      const machines = [1, 2].map(() => startMachine({ ...order, worker: programs.path('storm-worker') }));
      const sender = programs.start('storm-sender', { database });
      const endMs = performance.now() + SECONDS * 1_000;
      const doneBy = (machine: Running): number =>
        saidIn(machine).filter((line) => line.completed !== undefined).length;
      await until('both work', () => machines.every((machine) => doneBy(machine) > 0), PATIENCE_MS);
      await until('the time is over', () => performance.now() > endMs, SECONDS * 1_000 + PATIENCE_MS);

      sender.signal('SIGKILL');
      for (const machine of machines) machine.say('stop\n');
      await until('no more kills', () => machines.every((each) => saidIn(each).some(({ calm }) => calm)), PATIENCE_MS);
      const { store } = app.ctx;
      const open = { by: 'filter', states: ['offered', 'accepted'], max: 1 } as const;
      await until('all is done', async () => (await store.find(open)).items.length === 0, PATIENCE_MS);
      for (const machine of machines) machine.signal('SIGKILL');
      await Promise.all([sender, ...machines].map((each) => each.ended));

      const said = machines.flatMap(saidIn);
      const sent = saidIn(sender).flatMap((line) => line.sent ?? []);
      const completed = said.flatMap((line) => line.completed ?? []);
      const { handoffs } = await everythingIn(store);
      const killed = said.filter((line) => line.killed !== undefined).length;
      console.log(
        `${SECONDS} s, ${killed} workers killed, ${sent.length} sent, ` +
          `completed by each machine: ${machines.map(doneBy).join(' and ')}`,
      );
      expect(said.flatMap(({ machine }) => machine ?? [])).toEqual(['twin', 'twin']);
      expect(said.filter(({ lost, refused }) => lost !== undefined || refused !== undefined)).toEqual([]);
      expect(sent.filter((id) => handoffs.get(id)?.state !== 'completed')).toEqual([]);
      expect(new Set(completed).size).toBe(completed.length);
      expect(await complaintsAbout(store, database)).toEqual([]);
    },
    SECONDS * 1_000 + 4 * PATIENCE_MS,
  );
});

function canUnshare(): boolean {
  return spawnSync('unshare', ['--mount', '--uts', '--net', '--pid', '--fork', 'true']).status === 0;
}

/** The kernel gives one boot id to all; another one is mounted over it. Sockets in the file system cross networks. */
function startMachine(order: object): Running {
  const boot = join(tempFolder(), 'boot_id');
  writeFileSync(boot, `${randomUUID()}\n`);
  const script = 'hostname twin && mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"';
  const namespaces = ['--mount', '--uts', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const program = [process.execPath, programs.path('machine'), JSON.stringify(order)];
  return start('unshare', [...namespaces, 'sh', '-c', script, boot, ...program], { input: 'open' });
}

async function socketAddress(server: PrivatePostgres, name: string): Promise<string> {
  const rows = await server.sql()`select setting from pg_settings where name = 'unix_socket_directories'`;
  const folder = present(rows[0], 'the server has a socket')['setting'] as string;
  const url = new URL(server.url(name));
  return `postgres://${url.username}@/${name}?host=${encodeURIComponent(folder)}&port=${url.port}`;
}

/** The last line of somebody who was killed may be half a line. */
function saidIn(running: Running): readonly Said[] {
  const stdout = running.stdout();
  return jsonLines(stdout.slice(0, stdout.lastIndexOf('\n') + 1)) as readonly Said[];
}
