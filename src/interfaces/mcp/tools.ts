/**
 * The six tools, each over one or more operations. Fields come from the table of operations. The descriptions say how an
 * agent uses them.
 */
import { defined } from '../../foundation/defined.ts';
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server';
import { isFinal, OPEN_STATES, STATES } from '../../domain/lifecycle.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { may } from '../../domain/rights.ts';
import { AGENT_TERMS } from '../../domain/retry-policy.ts';
import { list, show, trace } from '../../engine/handoffs/read.ts';
import { wait } from '../../engine/handoffs/wait.ts';
import { OPERATIONS } from '../../operations/index.ts';
import { storeFilter } from '../../operations/list.ts';
import { choice, duration, flag, handoffId, ID, list as listOf } from '../../operations/field.ts';
import { longText, required, text, type Fields, type InputOf } from '../../operations/field.ts';
import { readFor, type Operation } from '../../operations/operation.ts';
import { AS_JSON, readInput, issuesText } from '../../operations/reading.ts';
import { withFullIds } from '../../operations/short-ids.ts';
import { errorOf, factsView, fullView, refusalOf, resultOf, shortView } from './answers.ts';
import type { McpCaller } from './mcp-caller.ts';

export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly fields: Fields;
  readonly annotations: ToolAnnotations;
  run(asking: McpCaller, given: unknown): Promise<CallToolResult>;
}

/** Some clients give up after 30 s. An agent that wants to wait longer calls again. */
const WAIT_SECONDS_MAX = 25;
const WAIT = duration(
  { minSeconds: 0, maxSeconds: WAIT_SECONDS_MAX },
  `How long to wait for it, at most ${WAIT_SECONDS_MAX}`,
);
const PAGE = 20;

function tool<const F extends Fields>(described: {
  readonly name: string;
  readonly description: string;
  readonly fields: F;
  readonly annotations: ToolAnnotations;
  run(asking: McpCaller, input: InputOf<F>): Promise<CallToolResult>;
}): McpTool {
  return {
    ...described,
    run: async (asking, given) => {
      const read = readInput(described.fields, given ?? {}, AS_JSON, asking.agent);
      if (!read.ok) return wrongInput(described.name, issuesText(read.refusal));
      const whole = await withFullIds(described.fields, read.value, asking.ctx, asking.principal);
      return whole.ok ? described.run(asking, whole.value) : refusalOf(whole.refusal);
    },
  };
}

function wrongInput(name: string, says: string): CallToolResult {
  return errorOf('bad-request', says, `Correct these fields and call ${name} again; nothing was changed.`);
}

type Done = { readonly handoff: Handoff } | { readonly error: CallToolResult };

/** Reads and runs an operation, as every interface does. */
async function operate<F extends Fields>(
  { ctx, principal, agent, signal }: McpCaller,
  operation: Operation<F>,
  given: Readonly<Record<string, unknown>>,
): Promise<Done> {
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const read = readFor(operation, said, AS_JSON, agent);
  if (!read.ok)
    return { error: errorOf('bad-request', issuesText(read.refusal), 'Correct these fields and call again.') };
  const answer = await operation.run(ctx, principal, read.value, { signal });
  return answer.ok ? { handoff: answer.value as Handoff } : { error: refusalOf(answer.refusal) };
}

const { to, title, input, context, deliverables, criteria, verifiers, dependsOn, priority, parent, requestId } =
  OPERATIONS.send.input;

const send = tool({
  name: 'baton_send',
  description:
    'Hand work to another agent. The recipient has none of your context: say what is wanted and why, which files matter, what is decided, how it will be checked. Answers the id at once; the work goes on without you. Follow it with baton_look.',
  fields: { to, title, input, context, deliverables, criteria, verifiers, dependsOn, priority, parent, requestId },
  annotations: { destructiveHint: false, openWorldHint: false },
  run: async (asking, said) => {
    const usual = { timeoutSeconds: AGENT_TERMS.attemptTimeoutMs / 1000, retry: { max: AGENT_TERMS.retriesMax } };
    const chain = said.parent === undefined && asking.parent !== null ? { parent: asking.parent } : {};
    const sent = await operate(asking, OPERATIONS.send, { ...usual, ...chain, ...said });
    if ('error' in sent) return sent.error;
    const next = `baton_look with id ${sent.handoff.id} tells how far it is; waitSeconds waits for its end.`;
    return resultOf({ value: { handoff: shortView(sent.handoff) }, holdsTexts: false, next });
  },
});

const inbox = tool({
  name: 'baton_inbox',
  description:
    'List your work: handoffs offered to you, held by you, and waiting for your verdict. With take: accept the next offered handoff, or the one with this id; the answer has everything that you need for the work, and the fence that every later call for it needs.',
  fields: {
    take: flag('Accept a handoff and begin to work on it'),
    id: handoffId('Which handoff'),
    waitMs: WAIT,
  },
  annotations: { destructiveHint: false, openWorldHint: false },
  run: async (asking, { take, id, waitMs = 0 }) => {
    const { agent } = asking;
    if (agent === null) return errorOf('not-yours', 'an operator has no inbox', 'Start the server with --as AGENT.');
    const own = { ...asking, agent };
    return take === true || id !== undefined ? taken(own, id ?? null, waitMs) : listed(own);
  },
});

type AgentAsking = McpCaller & { readonly agent: AgentId };

async function taken(asking: AgentAsking, id: HandoffId | null, waitMs: number): Promise<CallToolResult> {
  const { ctx, principal } = asking;
  const accepted = id === null ? { handoff: await claimed(asking, waitMs) } : await accept(asking, id);
  if ('error' in accepted) return accepted.error;
  const { handoff } = accepted;
  if (handoff === null) {
    return resultOf({ value: { taken: null }, holdsTexts: false, next: 'Nothing is offered to you now.' });
  }
  const whole = await show(ctx, principal, handoff.id);
  if (!whole.ok) return refusalOf(whole.refusal);
  const next = `Do the work, then baton_update with id ${handoff.id}, fence ${handoff.fence} and action deliver, fail, reject or ask.`;
  return resultOf({ value: { taken: fullView(whole.value) }, holdsTexts: true, next });
}

async function accept(asking: AgentAsking, id: HandoffId): Promise<Done> {
  if (asking.session === null) return operate(asking, OPERATIONS.accept, { id });
  const accepted = await asking.session.accept(id);
  return accepted.ok ? { handoff: accepted.value } : { error: refusalOf(accepted.refusal) };
}

async function claimed(asking: AgentAsking, waitMs: number): Promise<Handoff | null> {
  const { ctx, principal, agent, session, signal } = asking;
  if (session === null) {
    const answer = await OPERATIONS.claim.run(ctx, principal, { agent, waitMs }, { signal });
    return answer.ok ? (answer.value?.handoff ?? null) : null;
  }
  const until = ctx.clock.monotonicMs() + waitMs;
  for (;;) {
    const stop = new AbortController();
    const hint = ctx.store.changed({ kind: 'offers', agent }, stop.signal);
    try {
      const next = await session.claim();
      const leftMs = until - ctx.clock.monotonicMs();
      if (next !== null || leftMs <= 0 || signal.aborted) return next?.handoff ?? null;
      await Promise.race([hint, ctx.timers.sleep(leftMs, signal)]);
    } finally {
      stop.abort('over');
    }
  }
}

async function listed({ ctx, principal, agent }: AgentAsking): Promise<CallToolResult> {
  const mine = await list(ctx, principal, { by: 'filter', to: agent, states: OPEN_STATES, max: PAGE });
  const seen = await list(ctx, principal, { by: 'filter', states: ['delivered'], max: PAGE });
  const offered = mine.items.filter(({ state }) => state === 'offered').map(shortView);
  const held = mine.items.filter(({ state }) => state === 'accepted' || state === 'blocked').map(shortView);
  const toVerify = seen.items.filter((handoff) => may(principal, 'verify', handoff).ok).map(shortView);
  const next =
    offered.length > 0
      ? 'baton_inbox with take accepts the next one.'
      : toVerify.length > 0
        ? 'baton_look with the id shows what was delivered; then baton_verify.'
        : 'Nothing is offered to you now.';
  return resultOf({ value: { offered, held, toVerify }, holdsTexts: offered.length + held.length > 0, next });
}

/** The operation behind each action of an agent. `text` becomes its one text field. */
const ACTIONS = {
  progress: (said) => [OPERATIONS.progress, { says: said.text, fraction: said.fraction }],
  deliver: (said) => [
    OPERATIONS.deliver,
    { result: said.result ?? (said.text === undefined ? null : { text: said.text }), evidence: said.evidence },
  ],
  fail: (said) => [OPERATIONS.fail, { code: 'PROCESSING_ERROR', message: said.text }],
  reject: (said) => [OPERATIONS.reject, { type: 'declined', reason: said.text }],
  ask: (said) => [OPERATIONS.block, { question: said.text }],
  release: () => [OPERATIONS.release, {}],
  answer: (said) => [OPERATIONS.unblock, { answer: said.text }],
  cancel: (said) => [OPERATIONS.cancel, { reason: said.text }],
} as const satisfies Record<string, (said: Said) => readonly [unknown, Readonly<Record<string, unknown>>]>;

interface Said {
  readonly text?: string;
  readonly fraction?: number;
  readonly result?: unknown;
  readonly evidence?: readonly string[];
}

type Action = keyof typeof ACTIONS;
const ACTION_NAMES = Object.keys(ACTIONS) as readonly Action[];
/** Actions of the sender, which need no fence. */
const OF_SENDERS: readonly Action[] = ['answer', 'cancel'];

const update = tool({
  name: 'baton_update',
  description:
    'Change a handoff: progress, deliver (done, with evidence for every deliverable), fail (this attempt did not work), reject (the work is not for you), ask (a question; the handoff waits for the answer), release (give it back). For handoffs that you sent: answer (a question), cancel.',
  fields: {
    id: ID,
    action: required(choice(ACTION_NAMES, 'The change')),
    fence: OPERATIONS.deliver.input.fence,
    text: longText('The text: the progress, the error, the reason, the question or the answer'),
    fraction: OPERATIONS.progress.input.fraction,
    result: OPERATIONS.deliver.input.result,
    evidence: listOf(text('"deliverable=kind:value"'), OPERATIONS.deliver.input.evidence.about),
  },
  annotations: { destructiveHint: false, openWorldHint: false },
  run: async (asking, { id, action, fence, ...said }) => {
    const [operation, fields] = ACTIONS[action](said);
    const shown = OF_SENDERS.includes(action) ? {} : { fence };
    return moved(await operate(asking, operation as unknown as Operation, { id, ...shown, ...fields }));
  },
});

function moved(done: Done): CallToolResult {
  if ('error' in done) return done.error;
  return resultOf({ value: { handoff: shortView(done.handoff) }, holdsTexts: false, next: nextStep(done.handoff) });
}

function nextStep({ state, terms }: Handoff): string {
  switch (state) {
    case 'delivered':
      return `Delivered. ${terms.verifiers.map((name) => `@${name}`).join(' or ') || 'Somebody else'} verifies it; you are done.`;
    case 'accepted':
      return 'Go on with the work.';
    case 'blocked':
      return 'The sender is notified. The handoff is offered to you again when the question is answered.';
    default:
      return isFinal(state) ? 'The handoff is settled; there is nothing more to do.' : 'It is offered again.';
  }
}

const verify = tool({
  name: 'baton_verify',
  description:
    'Judge work that another agent delivered and you neither sent nor did: look at the evidence first (baton_look), check every criterion yourself. Agree by naming the criteria; or refuse with the reason, with rework to give it back to its doer.',
  fields: {
    ...OPERATIONS.verify.input,
    criteria: listOf(text('"criterion=how you know"'), OPERATIONS.verify.input.criteria.about),
  },
  annotations: { destructiveHint: false, openWorldHint: false },
  run: async (asking, said) => moved(await operate(asking, OPERATIONS.verify as unknown as Operation, said)),
});

const LOOKED_FOR = {
  id: handoffId('Which handoff'),
  chain: flag('All handoffs of its chain'),
  waitMs: WAIT,
  text: OPERATIONS.list.input.text,
  state: choice([...STATES, 'open'], 'Only those in this state; open: all that are not settled'),
  agent: OPERATIONS.list.input.agent,
  after: OPERATIONS.list.input.after,
} as const;

const look = tool({
  name: 'baton_look',
  description:
    'Read without changing anything: one handoff with its result and facts (id), its chain (id and chain), or a search (text, state, agent). With id and waitSeconds it answers when the handoff is settled or the time is up; call again to continue waiting.',
  fields: LOOKED_FOR,
  annotations: { readOnlyHint: true, openWorldHint: false },
  run: async (asking, said) => {
    if (said.id === undefined) return searched(asking, said);
    return said.chain === true ? chainOf(asking, said.id) : one(asking, said.id, said.waitMs ?? 0);
  },
});

async function one(asking: McpCaller, id: HandoffId, waitMs: number): Promise<CallToolResult> {
  const { ctx, principal, signal } = asking;
  if (waitMs > 0) {
    const waited = await wait(ctx, principal, id, { timeoutMs: waitMs, signal });
    if (!waited.ok && waited.refusal.code !== 'timed-out') return refusalOf(waited.refusal);
  }
  const found = await show(ctx, principal, id);
  if (!found.ok) return refusalOf(found.refusal);
  const { facts, ...whole } = found.value;
  const value = { handoff: fullView(whole), facts: factsView(facts), settled: isFinal(whole.handoff.state) };
  return resultOf({ value, holdsTexts: true, ...(value.settled ? {} : { next: pending(whole.handoff) }) });
}

function pending({ id, state, to: doer, blockedOn }: Handoff): string {
  if (blockedOn?.reason === 'question') return `It waits for an answer: baton_update with id ${id} and action answer.`;
  if (state === 'offered') return `It waits for @${doer} to take it. Look again later; do not wait in a loop.`;
  if (state === 'delivered') return 'It waits for a verdict of somebody who neither sent nor did it.';
  return `It is not settled. Call again with waitSeconds to go on waiting.`;
}

async function chainOf({ ctx, principal }: McpCaller, id: HandoffId): Promise<CallToolResult> {
  const found = await trace(ctx, principal, id);
  if (!found.ok) return refusalOf(found.refusal);
  return resultOf({ value: { handoffs: found.value.map(shortView) }, holdsTexts: true });
}

async function searched(
  { ctx, principal }: McpCaller,
  { text: words, state, agent, after }: InputOf<typeof LOOKED_FOR>,
): Promise<CallToolResult> {
  const wanted = storeFilter(defined({ text: words, agent, state: state && [state] }));
  const page = await list(ctx, principal, { by: 'filter', max: PAGE, ...wanted, ...defined({ after }) });
  const more = page.next === null ? {} : { after: page.next };
  return resultOf({ value: { handoffs: page.items.map(shortView), ...more }, holdsTexts: page.items.length > 0 });
}

const REPORTED_MAX = 500;

const report = tool({
  name: 'baton_report',
  description: 'Report on the handoffs that you may see: how many in which state, who holds what, recent failures.',
  fields: {},
  annotations: { readOnlyHint: true, openWorldHint: false },
  run: async ({ ctx, principal }) => {
    const { items, next } = await list(ctx, principal, { by: 'filter', max: REPORTED_MAX });
    const count = (of: (handoff: Handoff) => string): Readonly<Record<string, number>> => {
      const counts = new Map<string, number>();
      for (const handoff of items) counts.set(of(handoff), (counts.get(of(handoff)) ?? 0) + 1);
      return Object.fromEntries(counts);
    };
    const open = items.filter(({ state }) => !isFinal(state));
    const value = {
      states: count(({ state }) => state),
      ...(next === null ? {} : { newestOnly: REPORTED_MAX }),
      open: open.slice(0, PAGE).map(shortView),
      failed: items
        .filter(({ state }) => state === 'failed' || state === 'rejected')
        .slice(0, PAGE)
        .map(shortView),
    };
    return resultOf({ value, holdsTexts: items.length > 0 });
  },
});

export const MCP_TOOLS: readonly McpTool[] = [send, inbox, update, verify, look, report];
