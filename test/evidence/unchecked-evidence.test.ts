import { describe, expect, it } from 'vitest';
import { ASKED, deskIn } from './evidence-world.ts';

describe('evidence that no machine judges', () => {
  it.each([
    ['url', 'https://example.test/pull/7?x=1#y'],
    ['url', 'http://127.0.0.1:8080/never-fetched'],
    ['note', 'I looked at all twelve pages. ✅'],
  ] as const)('D7: a %s is held, on both looks: %j', async (kind, value) => {
    const { show, again } = deskIn();
    const { check, claim } = await show(kind, value);
    expect(check).toMatchObject({ verdict: 'held' });
    expect(await again(claim)).toMatchObject({ verdict: 'held' });
  });

  it.each([
    ['url', ''],
    ['url', 'example.test/x'],
    ['url', 'javascript:alert(1)'],
    ['url', 'file:///etc/passwd'],
    ['url', 'data:text/plain,x'],
    ['url', 'https://user:hunter2@example.test/'],
    ['url', 'https://example.test/a\nb'],
    ['url', `https://example.test/${'x'.repeat(5_000)}`],
    ['note', ' \n\t '],
    ['note', 'x'.repeat(20_000)],
    ['note', 'a\0b'],
    ['note', '\udc00'],
  ] as const)('a %s is refused: %j', async (kind, value) => {
    const { check, claim } = await deskIn().show(kind, value);
    expect(check.verdict).toBe('false');
    expect(check.says).not.toContain('hunter2');
    expect(claim.evidence).toEqual([]);
  });
});

describe('the desk', () => {
  it('answers one check per piece, in order, and one claim per deliverable with what was not false', async () => {
    const { desk, write } = deskIn();
    write('a.txt', 'a');
    const { claims, checks } = await desk.collect(
      [
        { deliverable: 'one', kind: 'file', value: 'a.txt' },
        { deliverable: 'two', kind: 'file', value: 'missing.txt' },
        { deliverable: 'one', kind: 'note', value: 'looked at it' },
      ],
      ASKED,
    );
    expect(checks.map(({ deliverable, verdict }) => [deliverable, verdict])).toEqual([
      ['one', 'true'],
      ['two', 'false'],
      ['one', 'held'],
    ]);
    expect(claims.map(({ deliverable, evidence }) => [deliverable, evidence.map(({ kind }) => kind)])).toEqual([
      ['one', ['file', 'note']],
      ['two', []],
    ]);
    expect((await desk.check(claims, ASKED)).map(({ verdict }) => verdict)).toEqual(['true', 'held']);
  });

  it('runs a command once that is shown for several deliverables', async () => {
    const { desk } = deskIn();
    const asked = ['one', 'two'].map((deliverable) => ({
      deliverable,
      kind: 'command' as const,
      value: 'echo x >> runs; test $(wc -l < runs) -eq 1',
    }));
    expect((await desk.collect(asked, ASKED)).checks.map(({ verdict }) => verdict)).toEqual(['true', 'true']);
  });

  it('stops at a bound', async () => {
    const asked = Array.from({ length: 600 }, (_, n) => ({ deliverable: 'it', kind: 'note' as const, value: `${n}` }));
    const { checks } = await deskIn().desk.collect(asked, ASKED);
    expect(checks.filter(({ verdict }) => verdict === 'false')).toHaveLength(100);
  });

  it('does nothing for a signal that is already aborted', async () => {
    const { desk } = deskIn();
    const asked = [{ deliverable: 'it', kind: 'note' as const, value: 'x' }];
    await expect(desk.collect(asked, ASKED, AbortSignal.abort())).rejects.toThrow(/abort/i);
  });
});
