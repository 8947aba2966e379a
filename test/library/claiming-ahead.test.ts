/** A quick worker claims more than it has hands for; nobody else may have to wait for that. */
import { expect, it, onTestFinished, describe } from 'vitest';
import { openBaton, type Baton } from '../../src/index.ts';
import { databases, makeWorkspace } from '../cli/workspaces.ts';

describe.each(databases)('claiming ahead on $name', (database) => {
  const open = async (): Promise<Baton> => {
    const { folder, address } = await makeWorkspace(database, '');
    const baton = await openBaton({
      workspace: folder,
      ...(address.kind === 'postgres' ? { database: address.url } : {}),
    });
    onTestFinished(() => baton.close());
    return baton;
  };

  const sent = async (baton: Baton, count: number): Promise<readonly string[]> => {
    const requests = Array.from({ length: count }, (_, n) => ({ from: '@me', to: '@quick', input: { n } }));
    return (await baton.sendMany(requests)).map(({ id }) => id);
  };

  it('I14: what lies behind a stuck hand goes to whoever is free', async () => {
    const baton = await open();
    let unstick = (): void => undefined;
    const stuckOn = new Promise<void>((resolve) => {
      unstick = resolve;
    });
    let reached = (): void => undefined;
    const isStuck = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const ids = await sent(baton, 120);
    const stuck = baton.work('@quick', async ({ input }) => {
      if ((input as { n: number }).n !== 60) return null;
      reached();
      await stuckOn;
      return 'late';
    });
    await isStuck;
    const other = baton.work('@quick', () => 'other');
    const others = await Promise.all(ids.filter((_, n) => n !== 60).map((id) => baton.wait(id, { timeoutMs: 60_000 })));
    // The last one was behind the stuck hand, claimed ahead or not.
    expect(others.at(-1)?.result).toBe('other');
    unstick();
    expect((await baton.wait(ids[60] ?? '', { timeoutMs: 60_000 })).result).toBe('late');
    await Promise.all([stuck.stop(), other.stop()]);
    for (const { attempt } of others) expect(attempt).toBeLessThanOrEqual(2);
  });

  it('I13: a worker that stops gives back what it had not begun, and nobody counts it', async () => {
    const baton = await open();
    const ids = await sent(baton, 150);
    let stop = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const begun = new Set<string>();
    const worker = baton.work('@quick', ({ id }) => {
      begun.add(id);
      if (begun.size === 40) stop();
      return null;
    });
    await asked;
    await worker.stop();
    const states = await Promise.all(ids.map(async (id) => (await baton.load(id))?.state));
    expect(states.filter((state) => state === 'completed')).toHaveLength(begun.size);
    expect(states.filter((state) => state === 'offered')).toHaveLength(ids.length - begun.size);
    const rest = baton.work('@quick', () => null, { concurrency: 8 });
    await Promise.all(ids.map((id) => baton.wait(id, { timeoutMs: 60_000 })));
    await rest.stop();
  });
});
