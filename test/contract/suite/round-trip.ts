/** What goes in comes out, to the character. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/foundation/digest.ts';
import type { JsonText } from '../../../src/foundation/json.ts';
import { ok } from '../../../src/foundation/result.ts';
import { NO_LIMITS } from '../../../src/domain/limits.ts';
import { alongTo, anyChanging, anyMaking, anyTelling, anyText, madeOf, NASTY, SESSIONS } from '../arbitraries.ts';
import { acceptBy, deliverAndVerify, idOf, jsonOf, openingOf, processOf, sessionOf, WORKER } from '../builders.ts';
import { put, soundRecordOf, trailOf, valueOf, wholeOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

/** Enough to meet every kind of everything; a run costs a few commits. */
const RUNS = { numRuns: 60 };

/** As long as a text may be that people read, once in one byte a character and once in more. */
const LONG_TEXTS = ['x'.repeat(256 * 1024), '漢'.repeat(88 * 1024), '🎽'.repeat(64 * 1024), '\\"'.repeat(64 * 1024)];

const BODIES: readonly JsonText[] = [
  ...[null, true, false, 0, -1, 1.5, 1e21, 5e-324, 9007199254740991, '', [], {}, [[[]]], [null]].map(jsonOf),
  ...NASTY.map((text) => jsonOf({ [text]: text })),
  ...LONG_TEXTS.map((text) => jsonOf({ text })),
  // Neither the order of keys nor the spelling of a number is the store's to choose.
  '{"b":1,"a":2,"10":3,"9":4}' as JsonText,
  '[1.0,1e2,-0,100000000000000000000000]' as JsonText,
  jsonOf(Array.from({ length: 20_000 }, (_, index) => index)),
];

/** The whole text, but short enough to print when it differs. */
function glimpse(text: string | null | undefined): string {
  return text === null || text === undefined ? 'none' : `${text.slice(0, 100)}… ${text.length} ${digestOf(text)}`;
}

export function describeRoundTrip(open: OpenStore): void {
  describe('round trip', () => {
    it('a body is kept to the character', async () => {
      const { store } = await open();
      await put(store, ...BODIES.map((body, index) => openingOf({ id: `a-${index}`, body })));
      for (const [index, body] of BODIES.entries()) {
        expect(glimpse((await wholeOf(store, idOf(`a-${index}`))).body)).toBe(glimpse(body));
      }
      const claimed = await store.claim(WORKER, BODIES.length, acceptBy());
      expect(claimed).toHaveLength(BODIES.length);
      for (const { handoff, body } of claimed) {
        expect(glimpse(body)).toBe(glimpse(BODIES[Number(handoff.id.slice(2))]));
      }
    });

    it('an outcome is kept to the character', async () => {
      const { store } = await open();
      await put(store, ...BODIES.map((_, index) => openingOf({ id: `a-${index}` })));
      await store.claim(WORKER, BODIES.length, acceptBy());
      for (const [index, outcome] of BODIES.entries()) {
        valueOf((await store.change([idOf(`a-${index}`)], deliverAndVerify(1, { outcome })))[0]);
        expect(glimpse((await wholeOf(store, idOf(`a-${index}`))).outcome)).toBe(glimpse(outcome));
      }
    });

    it('any JSON is kept to the character', async () => {
      const { store } = await open();
      let n = 0;
      const any = fc.json({ stringUnit: 'grapheme', maxDepth: 5 });
      await fc.assert(
        fc.asyncProperty(any, async (text) => {
          n += 1;
          await put(store, openingOf({ id: `a-${n}`, body: text as JsonText, outcome: text as JsonText }));
          expect(await wholeOf(store, idOf(`a-${n}`))).toMatchObject({ body: text, outcome: text });
        }),
        RUNS,
      );
    });

    it('I1: every field of a record survives being made, in every state', async () => {
      const { store } = await open(NO_LIMITS, SESSIONS);
      let n = 0;
      await fc.assert(
        fc.asyncProperty(anyMaking, async (making) => {
          n += 1;
          const { decision, ...opening } = madeOf(idOf(`r${n}`), making);
          expect(await put(store, opening)).toEqual([decision.handoff]);
          expect(await soundRecordOf(store, opening.id)).toEqual(decision.handoff);
          expect(await trailOf(store, opening.id)).toEqual(decision.facts);
          const found = await store.find({ by: 'ids', ids: [opening.id] });
          expect(found.items).toEqual([decision.handoff]);
        }),
        RUNS,
      );
    });

    it('I1: every field that moves change survives the change', async () => {
      const { store } = await open(NO_LIMITS, SESSIONS);
      let n = 0;
      await fc.assert(
        fc.asyncProperty(anyChanging, anyTelling, async (end, telling) => {
          fc.pre(end.state !== 'draft' && end.state !== 'offered' && end.state !== 'blocked');
          n += 1;
          const [made] = await put(store, openingOf({ id: `r${n}`, notBefore: n }));
          const decision = alongTo(made!, end, telling);
          const changed = valueOf((await store.change([made!.id], () => ok(decision)))[0]);
          expect(changed).toEqual(decision.handoff);
          expect(await soundRecordOf(store, made!.id)).toEqual(decision.handoff);
          expect((await trailOf(store, made!.id)).slice(1)).toEqual(decision.facts);
        }),
        RUNS,
      );
    });

    it('texts that look like commands are only texts', async () => {
      const { store } = await open();
      const texts = NASTY.filter((text) => text !== '');
      for (const [index, text] of texts.entries()) {
        const guard = { request: { by: text, key: text, hash: text } };
        const effects = [{ key: `${index} ${text}`, kind: text, payload: jsonOf(text) }];
        const opening = openingOf({ id: `a-${index}`, title: text, task: text, effects });
        const made = valueOf(await store.insert([opening], guard));
        expect(valueOf(await store.insert([opening], guard))).toEqual(made);
        expect((await store.find({ by: 'filter', task: text, max: 10 })).items).toEqual(made);
        expect(await store.outbox.due(10)).toEqual(effects);
        await store.outbox.postpone(effects[0]!.key, 0);
        await store.outbox.done([effects[0]!.key]);
        const session = {
          id: sessionOf(`${index} ${text}`),
          agent: WORKER,
          process: processOf({ pidSpace: text }),
          leaseMs: 1,
        };
        await store.sessions.open(session);
        expect((await store.sessions.list()).at(-1)).toMatchObject(session);
        expect(await store.sessions.end(session.id, 0)).toBe(true);
        await store.sessions.forget(session.id);
      }
      expect(await store.outbox.due(10)).toEqual([]);
      expect((await store.find({ by: 'filter', max: 100 })).items).toHaveLength(texts.length);
    });

    it('tasks are told apart to the character', async () => {
      const { store } = await open();
      let n = 0;
      await fc.assert(
        fc.asyncProperty(anyText, async (text) => {
          n += 1;
          const task = `${n} ${text}`;
          await put(store, openingOf({ id: `a-${n}`, task }));
          expect((await store.find({ by: 'filter', task, max: 10 })).items.map((item) => item.id)).toEqual([`a-${n}`]);
          expect((await store.find({ by: 'filter', task: `${task} `, max: 10 })).items).toEqual([]);
        }),
        RUNS,
      );
    });
  });
}
