/** Finding by words: the same on every store, whatever is typed. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/foundation/json.ts';
import type { Query, Store } from '../../../src/stores/store.ts';
import { acceptBy, agentOf, cancelled, deliverAndVerify, idOf, jsonOf, openingOf, openingsOf } from '../builders.ts';
import { ALL, put } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

type Filter = Omit<Extract<Query, { readonly by: 'filter' }>, 'by' | 'max' | 'text'>;

async function hits(store: Store, text: string, filter: Filter = {}): Promise<readonly string[]> {
  return (await store.find({ by: 'filter', max: ALL, text, ...filter })).items.map(({ id }) => id);
}

async function putTexts(store: Store, texts: Readonly<Record<string, Json>>): Promise<void> {
  await put(store, ...Object.entries(texts).map(([id, body]) => openingOf({ id, body: jsonOf(body) })));
}

const HOSTILE: readonly string[] = [
  '"',
  '""',
  "'",
  '*',
  'alpha*',
  'NEAR',
  'NEAR(alpha beta, 2)',
  'alpha AND',
  'NOT alpha',
  'text:alpha',
  '{text words}:alpha',
  '^alpha',
  'alpha + beta',
  'alpha & !beta | (',
  'alpha <-> beta',
  "alpha':*",
  '\\',
  '%_',
  ';drop table handoff;--',
  '$1 ?1',
  '👍🏽',
  '❤️',
  '\u0000alpha\u0000',
  '\u0001\u0002\u001f\u007f',
  '\ud800',
  '\u202e\u200b\ufeff',
  '…—«»',
  ' \t\r\n',
  '',
  'a'.repeat(100_000),
  'alpha '.repeat(20_000),
  Array.from({ length: 20_000 }, (_, index) => `w${index}`).join(' '),
  '("'.repeat(50_000),
  'é'.repeat(100_000),
];

export function describeWords(open: OpenStore): void {
  describe('find by words', () => {
    it('finds all of the words, in any order, in title, task and body', async () => {
      const { store } = await open();
      await put(
        store,
        openingOf({ id: 'title', title: 'Review the parser', body: jsonOf({}) }),
        openingOf({ id: 'task', task: 'parser-7', body: jsonOf(null) }),
        openingOf({ id: 'body', body: jsonOf({ please: ['look', { at: 'the parser' }], review: 4711 }) }),
        openingOf({ id: 'spread', title: 'Review', task: 'T-1', body: jsonOf('of a parser') }),
        openingOf({ id: 'neither', title: 'Reviewing', body: jsonOf({ parsers: true }) }),
      );
      expect(await hits(store, 'parser')).toEqual(['spread', 'body', 'task', 'title']);
      expect(await hits(store, 'review parser')).toEqual(['spread', 'body', 'title']);
      expect(await hits(store, 'parser REVIEW review')).toEqual(['spread', 'body', 'title']);
      expect(await hits(store, 'parser nowhere')).toEqual([]);
      expect(await hits(store, '4711')).toEqual(['body']);
      expect(await hits(store, 'true')).toEqual([]);
    });

    it('case, accents and how a character is written do not matter', async () => {
      const { store } = await open();
      await putTexts(store, {
        composed: 'Größe des Cafés, naïve Straße',
        plain: 'GROSSE cafes naive strasse',
        decomposed: 'gro\u0308ße cafe\u0301s nai\u0308ve STRASSE',
        greek: 'Οδός ΟΔΟΣ',
        turkish: 'İstanbul',
        escaped: 'tab\there "quoted" back\\slash',
      });
      for (const asked of ['größe', 'GRÖSSE', 'grosse', 'cafés naive', 'gro\u0308ße strasse']) {
        expect(await hits(store, asked)).toEqual(['decomposed', 'plain', 'composed']);
      }
      expect(await hits(store, 'οδος')).toEqual(['greek']);
      expect(await hits(store, 'istanbul')).toEqual(['turkish']);
      expect(await hits(store, 'here quoted slash')).toEqual(['escaped']);
      expect(await hits(store, 'there')).toEqual([]);
    });

    it('ids are their parts; scripts without spaces are their characters', async () => {
      const { store } = await open();
      await putTexts(store, {
        exact: { see: 'task-15.3' },
        longer: 'task-15.31',
        path: 'src/stores/task_15/3.ts',
        tokyo: '東京タワーへ行く',
        hindi: 'हिन्दी में',
      });
      expect(await hits(store, 'task-15.3')).toEqual(['path', 'exact']);
      expect(await hits(store, 'task-15')).toEqual(['path', 'longer', 'exact']);
      expect(await hits(store, '15.31')).toEqual(['longer']);
      expect(await hits(store, '東京')).toEqual(['tokyo']);
      expect(await hits(store, 'हिन्दी')).toEqual(['hindi']);
    });

    it('whatever is typed is words and nothing else', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', title: 'alpha', body: jsonOf('near text words drop table') }));
      const found: Record<string, readonly string[]> = {};
      for (const text of HOSTILE) found[text.slice(0, 40)] = await hits(store, text);
      const withHits = Object.keys(found).filter((text) => found[text]!.length > 0);
      expect(withHits).toEqual([
        'alpha*',
        'NEAR',
        'text:alpha',
        '{text words}:alpha',
        '^alpha',
        "alpha':*",
        '\u0000alpha\u0000',
        'alpha '.repeat(20).slice(0, 40),
      ]);
    });

    it('words together with every other condition', async () => {
      const { store } = await open();
      const [ann, bob, cat] = ['ann', 'bob', 'cat'].map(agentOf) as [never, never, never];
      await put(store, openingOf({ id: 'one', from: ann, to: bob, task: 'T-1', title: 'red' }));
      await put(store, openingOf({ id: 'two', from: bob, to: cat, title: 'red' }));
      await put(store, openingOf({ id: 'three', from: cat, to: ann, title: 'red' }));
      await put(store, openingOf({ id: 'four', from: ann, to: bob, title: 'blue' }));
      await store.change([idOf('one')], cancelled);
      expect(await hits(store, 'red')).toEqual(['three', 'two', 'one']);
      expect(await hits(store, 'red', { from: ann })).toEqual(['one']);
      expect(await hits(store, 'red', { to: ann })).toEqual(['three']);
      expect(await hits(store, 'red', { agent: ann })).toEqual(['three', 'one']);
      expect(await hits(store, 'red', { agent: ann, states: ['offered'] })).toEqual(['three']);
      expect(await hits(store, 'red', { agent: ann, from: ann, to: bob, task: 'T-1', states: ['cancelled'] })).toEqual([
        'one',
      ]);
      expect(await hits(store, 'red', { agent: agentOf('nobody') })).toEqual([]);
      expect(await hits(store, 'red', { states: [] })).toEqual([]);
    });

    it('pages on as without words, while new ones are made', async () => {
      const { store } = await open();
      for (let round = 0; round < 10; round += 1) {
        await put(store, openingOf({ id: `a-${round}`, title: 'red' }), openingOf({ id: `b-${round}`, title: 'blue' }));
      }
      const seen: string[] = [];
      let after: string | undefined;
      for (let pages = 0; pages < 10; pages += 1) {
        const page = await store.find({ by: 'filter', text: 'RED', max: 3, ...(after === undefined ? {} : { after }) });
        seen.push(...page.items.map(({ id }) => id));
        if (page.next === null) break;
        after = page.next;
        await put(store, openingOf({ id: `new-${pages}`, title: 'red' }));
      }
      expect(seen).toEqual(Array.from({ length: 10 }, (_, index) => `a-${9 - index}`));
    });

    it('what was acknowledged is found, tended or not, and what changed since is still found once', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', title: 'red' }));
      await store.upkeep.maintain();
      await put(store, openingOf({ id: 'b', title: 'red' }));
      await store.change([idOf('a')], acceptBy());
      expect(await hits(store, 'red')).toEqual(['b', 'a']);
      await store.change([idOf('a')], deliverAndVerify(1));
      await put(store, openingOf({ id: 'c', title: 'red' }));
      await store.upkeep.maintain();
      await store.upkeep.maintain();
      expect(await hits(store, 'red')).toEqual(['c', 'b', 'a']);
    });

    it('a text that is too long is found by its beginning', async () => {
      const { store } = await open();
      const filler = 'über '.repeat(40_000);
      await putTexts(store, { early: `needle ${filler}`, late: `${filler} needle` });
      expect(await hits(store, 'needle')).toEqual(['early']);
      const long = 'x'.repeat(5_000);
      await putTexts(store, { long: `${long} y` });
      expect(await hits(store, long)).toEqual(['long']);
    });

    it('several who search at once feed the same and find the same', async ({ skip }) => {
      const { store, reopen } = await open();
      for (let round = 0; round < 15; round += 1) {
        await put(store, ...openingsOf(100, `r${round}`, { title: `red ${round}`, body: jsonOf('x '.repeat(500)) }));
      }
      skip(reopen === null, 'this store has one handle');
      const stores = [store, await reopen!(), await reopen!()];
      const found = await Promise.all([
        ...stores.map(async (each) => (await hits(each, 'red')).length),
        ...stores.map(async (each) => (await hits(each, 'red 14')).length),
        ...stores.map(async (each) => each.upkeep.maintain().then(() => 0)),
      ]);
      expect(found).toEqual([1500, 1500, 1500, 100, 100, 100, 0, 0, 0]);
    });

    it('what others send meanwhile is neither lost nor waited for', async ({ skip }) => {
      const { store, reopen } = await open();
      skip(reopen === null, 'this store has one handle');
      const other = await reopen!();
      for (let round = 0; round < 10; round += 1) {
        const [, found] = await Promise.all([
          Promise.all(openingsOf(20, `r${round}`, { title: 'red' }).map(async (opening) => other.insert([opening]))),
          hits(store, 'red'),
        ]);
        expect(found.length).toBeGreaterThanOrEqual(20 * round);
      }
      expect(await hits(store, 'red')).toHaveLength(200);
      expect(new Set(await hits(other, 'red')).size).toBe(200);
    });
  });

  describe('find by agent', () => {
    it('finds what it sent and what it was sent, each once, newest first, page by page', async () => {
      const { store } = await open();
      const [ann, bob, cat] = ['ann', 'bob', 'cat'].map(agentOf) as [never, never, never];
      await put(store, openingOf({ id: 'sent', from: ann, to: bob }));
      await put(store, openingOf({ id: 'other', from: cat, to: bob }));
      await put(store, openingOf({ id: 'own', from: ann, to: ann }));
      await put(store, openingOf({ id: 'got', from: cat, to: ann }));
      await store.change([idOf('sent')], cancelled);
      const pages: (readonly string[])[] = [];
      let after: string | null = null;
      do {
        const page = await store.find({ by: 'filter', agent: ann, max: 1, ...(after === null ? {} : { after }) });
        pages.push(page.items.map(({ id }) => id));
        after = page.next;
      } while (after !== null);
      expect(pages).toEqual([['got'], ['own'], ['sent']]);
      const states = async (...given: readonly ('offered' | 'cancelled')[]): Promise<readonly string[]> =>
        (await store.find({ by: 'filter', agent: ann, states: given, max: ALL })).items.map(({ id }) => id);
      expect(await states('offered')).toEqual(['got', 'own']);
      expect(await states('offered', 'cancelled')).toEqual(['got', 'own', 'sent']);
    });
  });
}
