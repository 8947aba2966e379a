/** A house in which agents report by summaries: on the reference store, with words to say and looks at what they did. */
import { present } from '../../../src/foundation/assert.ts';
import { systemClock, systemTimers } from '../../../src/foundation/clock.ts';
import { systemRandom } from '../../../src/foundation/random.ts';
import type { JsonObject } from '../../../src/foundation/json.ts';
import type { Fact } from '../../../src/domain/facts.ts';
import type { Handoff } from '../../../src/domain/handoff.ts';
import { NO_LIMITS, type Limits } from '../../../src/domain/limits.ts';
import { readAgentId, type AgentId, type HandoffId } from '../../../src/domain/names.ts';
import { OPERATOR, type Principal } from '../../../src/domain/principal.ts';
import type { Summary } from '../../../src/domain/summary.ts';
import { NO_RULES, type WorkspaceRules, type Context } from '../../../src/engine/context.ts';
import { ingestText, type BlockAnswer, type TextToIngest } from '../../../src/engine/handoffs/ingest-text.ts';
import { summaryIn } from '../../../src/domain/summary-in-fact.ts';
import { notificationRules } from '../../../src/adapters/notifications/notification-rules.ts';
import { openMemoryStore } from '../../../src/stores/memory/memory-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import { processOf } from '../../contract/builders.ts';

export interface SummaryWorld {
  readonly ctx: Context;
  /** The only block of a text that is told; a new source each time unless one is named. */
  say(block: Said, more?: Partial<TextToIngest>, principal?: Principal): Promise<BlockAnswer>;
  tell(text: string, more?: Partial<TextToIngest>, principal?: Principal): Promise<readonly BlockAnswer[]>;
  handoffs(): Promise<readonly Handoff[]>;
  openLegs(): Promise<readonly Handoff[]>;
  record(id: string): Promise<Handoff>;
  body(id: string): Promise<JsonObject>;
  trail(id: string): Promise<readonly Fact[]>;
  facts(): Promise<readonly Fact[]>;
  inbox(agent: string): Promise<readonly JsonObject[]>;
  /** All summaries of the trail, in its order. */
  summaries(): Promise<readonly Summary[]>;
}

/** Lines of a block below `handoff:`; what is left out is a research agent that is done. */
export type Said = Readonly<Record<string, unknown>>;

export function summaryWorld(
  rules: Partial<WorkspaceRules> = {},
  limits: Limits = NO_LIMITS,
  store: Store = openMemoryStore({ clock: systemClock, limits }),
): SummaryWorld {
  const announce = notificationRules({ desktop: false, webhooks: [], allowHosts: [] });
  const ctx: Context = {
    store,
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    liveness: { self: processOf(), of: () => 'alive', isStopped: () => false, endGroup: async () => undefined },
    heartbeat: { start: async () => ({ stop: async () => undefined }) },
    leaseMs: 10_000,
    rules: { ...NO_RULES, notificationsFor: announce, ...rules },
    report: () => undefined,
  };
  let texts = 0;
  const tell: SummaryWorld['tell'] = (text, more = {}, principal = OPERATOR) => {
    texts += 1;
    // A document of its own, also where the block says what another one has said.
    const own = more.source === undefined ? text.replace('# Summary', `# Summary ${texts}`) : text;
    return ingestText(ctx, principal, { text: own, source: { file: `${texts}.md` }, project: 'shop', ...more });
  };
  const handoffs = async (): Promise<readonly Handoff[]> =>
    (await store.find({ by: 'filter', max: ALL })).items.toReversed();
  const facts = async (): Promise<readonly Fact[]> => (await store.facts({ max: ALL })).map(({ fact }) => fact);
  return {
    ctx,
    tell,
    say: async (block, more, principal) => {
      const [answer, ...others] = await tell(blockOf(block), more, principal);
      if (others.length > 0) throw new Error('one block, one answer');
      return present(answer, 'a block is answered');
    },
    handoffs,
    openLegs: async () =>
      (await handoffs()).filter(({ state }) => ['draft', 'offered', 'accepted', 'blocked'].includes(state)),
    record: async (id) => present(await store.load(id as HandoffId), `${id} is there`).handoff,
    body: async (id) => JSON.parse(present(await store.load(id as HandoffId), `${id} is there`).body) as JsonObject,
    trail: async (id) => (await store.facts({ handoff: id as HandoffId, max: ALL })).map(({ fact }) => fact),
    facts,
    inbox: async (agent) =>
      (await store.outbox.inbox(agentOf(agent), ALL)).map(({ payload }) => JSON.parse(payload) as JsonObject),
    summaries: async () => (await facts()).map(summaryIn).filter((summary) => summary !== null),
  };
}

const ALL = 10_000;

export function agentOf(name: string): AgentId {
  return present(readAgentId(name), `${name} is a name`);
}

export function blockOf(said: Said): string {
  const block = { phase: 'Research', from: '@research', to: 'None', status: 'complete', ...said };
  const lines = Object.entries(block).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
  return ['# Summary', '', '```yaml', 'handoff:', ...lines, '```', ''].join('\n');
}
