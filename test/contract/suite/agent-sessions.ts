/** Running agents: numbered from 1, replaced as a whole, guarded by their revision. */
import { describe, expect, it } from 'vitest';
import type { NewAgentSession } from '../../../src/domain/agent-session.ts';
import { readAgentId, type HandoffId } from '../../../src/domain/names.ts';
import type { OpenStore } from '../store-under-test.ts';

export function newSession(key: string, changes: Partial<NewAgentSession> = {}): NewAgentSession {
  return {
    key,
    persona: readAgentId('@dev'),
    adapter: 'claude',
    command: [],
    cwd: '/projects/shop',
    place: 'place-1',
    pane: { session: 'baton-dev-1', pane: '%0', pid: 4711, startedAt: '123' },
    conversation: '0190d5b2-0000-7000-8000-000000000001',
    predecessor: null,
    state: 'active',
    startedAt: 1_000,
    endedAt: null,
    context: null,
    succession: null,
    lastSuccession: null,
    ...changes,
  };
}

export function describeAgentSessions(open: OpenStore): void {
  describe('agent sessions', () => {
    it('X6: each has a whole number from 1 on; the same key answers the same session', async () => {
      const { store } = await open();
      const first = await store.agents.add(newSession('a'));
      const second = await store.agents.add(newSession('b', { persona: null, pane: null, predecessor: first.id }));
      expect([first.id, second.id]).toEqual([1, 2]);
      expect(first).toEqual({ ...newSession('a'), id: 1, revision: 1 });
      expect(await store.agents.add(newSession('a', { cwd: '/elsewhere' }))).toEqual(first);
      expect(await store.agents.load(2)).toEqual(second);
      expect(await store.agents.load(3)).toBeNull();
    });

    it('X5: a replacement is written whole, and only over the revision that it was made from', async () => {
      const { store } = await open();
      const first = await store.agents.add(newSession('a'));
      const succession = {
        handoff: 'hoff-1' as HandoffId,
        reason: 'manual' as const,
        context: 'say "ä" and \'quotes\'',
        documentPath: '/data/x.md',
        at: 2_000,
        plan: 'usual' as const,
      };
      const next = await store.agents.replace({ ...first, succession });
      expect(next).toEqual({ ...first, succession, revision: 2 });
      expect(await store.agents.replace({ ...first, succession: null })).toBeNull();
      expect(await store.agents.load(1)).toEqual(next);
      expect(await store.agents.replace({ ...first, id: 9 })).toBeNull();
    });

    it('X1: of many that replace one revision at once, one does', async () => {
      const { store } = await open();
      const first = await store.agents.add(newSession('a'));
      const cwds = ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8'];
      const answers = await Promise.all(cwds.map((cwd) => store.agents.replace({ ...first, cwd })));
      const written = answers.filter((answer) => answer !== null);
      expect(written).toHaveLength(1);
      expect(await store.agents.load(1)).toEqual(written[0]);
    });

    it('of many that add one key at once, all get the same session', async () => {
      const { store } = await open();
      const added = await Promise.all(['a', 'a', 'a', 'a'].map((key) => store.agents.add(newSession(key))));
      expect(new Set(added.map(({ id }) => id)).size).toBe(1);
      expect(await store.agents.list({ max: 10 })).toHaveLength(1);
    });

    it('lists are newest first, by pages, and only the open ones if asked', async () => {
      const { store } = await open();
      const sessions = [];
      for (const key of ['a', 'b', 'c', 'd']) sessions.push(await store.agents.add(newSession(key)));
      const [a, b, c, d] = sessions;
      if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error('four were added');
      const retired = await store.agents.replace({ ...b, state: 'retired', endedAt: 3_000 });
      expect(await store.agents.list({ max: 10 })).toEqual([d, c, retired, a]);
      expect(await store.agents.list({ max: 2, before: d.id })).toEqual([c, retired]);
      expect(await store.agents.list({ open: true, max: 10 })).toEqual([d, c, a]);
    });
  });
}
