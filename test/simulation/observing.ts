/** Watches every call of a store that may write, and asks the invariants about it before anybody else goes on. */
import type { Result } from '../../src/foundation/result.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import type { Refusal } from '../../src/domain/refusals.ts';
import type { Fact } from '../../src/domain/facts.ts';
import type { FactRead, Store } from '../../src/stores/store.ts';
import type { Clock } from '../../src/foundation/clock.ts';
import type { Inspector } from './inspector.ts';
import { acknowledge, enter, show, type Call } from './ledger.ts';
import type { SimulatedProcess } from './processes.ts';
import type { Trace } from './trace.ts';

export type Asked = Pick<Call, 'verb' | 'process' | 'targets' | 'request'>;
export type Answers = Call['answers'];

export interface Observer {
  write<Raw>(asked: Asked, perform: () => Promise<Raw>, answersOf: (raw: Raw) => Answers): Promise<Written<Raw>>;
  read(process: SimulatedProcess, shown: readonly Handoff[]): void;
  /** The answer has arrived. */
  told(call: Call): void;
  shown(process: SimulatedProcess, shown: readonly Handoff[]): void;
}

interface Written<Raw> {
  readonly raw: Raw;
  readonly call: Call;
}

/** More than any one call can write. */
const FACTS_MAX = 1_000;

export function openObserver(store: Store, inspector: Inspector, clock: Clock, trace: Trace): Observer {
  const { ledger } = inspector;
  let cursor: string | null = null;

  const newFacts = async (): Promise<readonly Fact[]> => {
    const read: readonly FactRead[] = await store.facts({
      max: FACTS_MAX,
      ...(cursor === null ? {} : { after: cursor }),
    });
    cursor = read.at(-1)?.cursor ?? cursor;
    return read.map(({ fact }) => fact);
  };

  const look = async (asked: Asked, answers: Answers, threw: unknown): Promise<Call> => {
    const facts = await newFacts();
    const targets = asked.targets.map((target) => (typeof target === 'string' ? target : target.id));
    const ids = [...new Set([...targets, ...facts.map((fact) => fact.handoff)])];
    const { items } = ids.length === 0 ? { items: [] } : await store.find({ by: 'ids', ids });
    const after = new Map<HandoffId, Handoff>(items.map((handoff) => [handoff.id, handoff]));
    const call: Call = { ...asked, atMs: clock.monotonicMs(), answers, threw, facts, after };
    for (const fact of facts) trace.note(call.atMs, asked.process.name, `commits ${inWords(fact)}`);
    inspector.afterCall(call);
    enter(ledger, call);
    inspector.afterEntry(call);
    return call;
  };

  return {
    async write(asked, perform, answersOf) {
      let raw;
      try {
        raw = await perform();
      } catch (error) {
        await look(asked, [], error);
        throw error;
      }
      return { raw, call: await look(asked, answersOf(raw), null) };
    },
    read(process, shown) {
      inspector.afterRead(process, shown);
    },
    told(call) {
      acknowledge(ledger, call);
      show(ledger, call.process, valuesOf(call.answers));
      inspector.afterTold(call);
    },
    shown(process, shown) {
      show(ledger, process, shown);
    },
  };
}

function valuesOf(answers: readonly Result<Handoff, Refusal>[]): readonly Handoff[] {
  return answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
}

function inWords({ handoff, revision, deed, by, to, fence, detail }: Fact): string {
  return `${handoff} r${revision} ${deed} to ${to} by ${by}, fence ${fence} ${detail}`;
}
