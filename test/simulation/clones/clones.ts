/**
 * Two or three clones with a database each: agents act, clocks differ and run out, people commit, pull, rebase, push
 * and look at old commits, all at random. At the end everybody has everything.
 */
import { present } from '../../../src/foundation/assert.ts';
import type { Result } from '../../../src/foundation/result.ts';
import { dueAtOf } from '../../../src/domain/deadlines.ts';
import { firstBrokenRevision } from '../../../src/domain/facts.ts';
import type { Handoff, Terms } from '../../../src/domain/handoff.ts';
import { isFinal, type State } from '../../../src/domain/lifecycle.ts';
import { NO_LIMITS } from '../../../src/domain/limits.ts';
import { readAgentId, type AgentId, type HandoffId } from '../../../src/domain/names.ts';
import { agentPrincipal, OPERATOR } from '../../../src/domain/principal.ts';
import { openDocumentMirror } from '../../../src/engine/documents/document-mirror.ts';
import { checkOnce } from '../../../src/engine/stall-detection.ts';
import { NO_RULES, type DocumentMirror, type EngineEvent, type Context } from '../../../src/engine/context.ts';
import { sweep } from '../../../src/engine/sweep.ts';
import { accept } from '../../../src/engine/handoffs/accept.ts';
import { activate } from '../../../src/engine/handoffs/activate.ts';
import { block, unblock } from '../../../src/engine/handoffs/block.ts';
import { deliver } from '../../../src/engine/handoffs/deliver.ts';
import { cancel, reject } from '../../../src/engine/handoffs/reject-and-cancel.ts';
import { release } from '../../../src/engine/handoffs/release.ts';
import { revise } from '../../../src/engine/handoffs/revise.ts';
import { send } from '../../../src/engine/handoffs/send.ts';
import { requestRework, verify } from '../../../src/engine/handoffs/verify.ts';
import { openMemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { manualClock, type ManualClock } from '../../contract/manual-clock.ts';
import { seededRandom, type SeededRandom } from '../seeded-random.ts';
import { openCloneFolder, type CloneFolder } from './clone-folder.ts';
import { ancestorsOf, commitOf, type Remote } from './git-model.ts';

const STEPS = 60;
const MINUTE = 60_000;
/** Rounds in which everybody pulls, syncs, commits and pushes until nothing moves any more. */
const ROUNDS_MAX = 12;

const [GROK, CLAUDE, PERPLEXITY, QA] = ['grok', 'claude', 'perplexity', 'qa'].map((name) =>
  present(readAgentId(name), name),
) as [AgentId, AgentId, AgentId, AgentId];

export interface Clone extends CloneFolder {
  readonly name: string;
  readonly clock: ManualClock;
  readonly ctx: Context;
  readonly documents: DocumentMirror;
  readonly events: EngineEvent[];
  /** Acts that were answered as done and overruled before anything else happened. */
  readonly lost: string[];
}

export function openClone(name: string, remote: Remote, skewMs: number): Clone {
  const clock = manualClock();
  clock.advance(skewMs);
  const events: EngineEvent[] = [];
  const files = openCloneFolder(remote, `${name}@example.org`);
  const store = openMemoryStore({ clock, limits: NO_LIMITS });
  const bare: Context = {
    store,
    clock,
    timers: { sleep: async () => undefined, every: () => ({ stop: () => undefined }) } as never,
    random: seededRandom(1),
    liveness: {
      self: { boot: 'b' },
      of: () => 'gone',
      isStopped: () => false,
      endGroup: async () => undefined,
    } as never,
    heartbeat: {} as never,
    leaseMs: 10_000,
    rules: {
      ...NO_RULES,
      verifiers: [PERPLEXITY],
      terms: { document: { verifiers: [PERPLEXITY] } },
      evidence: {
        where: null,
        collect: async (asked) => ({
          claims: asked.map(({ deliverable, value }) => ({ deliverable, evidence: [{ kind: 'note', text: value }] })),
          checks: [],
        }),
        check: async () => [],
        show: async () => [],
      },
    },
    report: (event) => events.push(event),
  };
  const documents = openDocumentMirror(bare, files.folder, { isStrict: () => false });
  const ctx = { ...bare, rules: { ...bare.rules, documents } };
  return { ...files, name, clock, ctx, documents, events, lost: [] };
}

export interface Outcome {
  /** What does not hold; empty is good. */
  readonly broken: readonly string[];
  readonly trace: readonly string[];
  readonly overruled: number;
  readonly settled: number;
}

export async function simulateClones(seed: number): Promise<Outcome> {
  const random = seededRandom(seed);
  const root = commitOf(new Map(), [], 'nobody');
  const remote: Remote = { main: root };
  const clones = ['one', 'two', 'three'].slice(0, random.between(2, 3)).map((name) => {
    return openClone(name, remote, random.between(-90, 90) * MINUTE);
  });
  const trace: string[] = [];
  for (const clone of clones) await clone.documents.sync('thorough');
  for (let step = 0; step < STEPS; step += 1) {
    const passes = random.chance(0.1) ? random.between(60, 200) * MINUTE : random.between(0, 5) * MINUTE;
    for (const clone of clones) clone.clock.advance(passes);
    const clone = random.pick(clones);
    trace.push(`${clone.name}: ${await moveOf(clone, random, step)}`);
  }
  await settle(clones, random);
  return { trace, ...(await judged(clones)) };
}

async function moveOf(clone: Clone, random: SeededRandom, step: number): Promise<string> {
  const choice = random.below(100);
  if (choice < 8) return `new ${await newDocument(clone, `T-${clone.name}-${step}`)}`;
  if (choice < 52) return act(clone, random);
  if (choice < 58) return `time ${await expire(clone)}`;
  if (choice < 64) {
    await clone.documents.sync('thorough', { asked: random.chance(0.5) });
    return 'sync';
  }
  if (choice < 72) {
    clone.commit();
    return 'commit';
  }
  if (choice < 80) return pull(clone, random);
  if (choice < 84) return `${await pull(clone, random, 0)}, and ${await act(clone, random)}`;
  if (choice < 87) return detour(clone, random);
  return `push ${await share(clone, random)}`;
}

export async function newDocument({ ctx }: Clone, task: string): Promise<string> {
  // The workspace does not name @qa: other clones know it from the document alone.
  const terms = { deliverables: ['code'], criteria: [], verifiers: /[02468]$/.test(task) ? [QA] : [] };
  const asked = {
    from: GROK,
    to: CLAUDE,
    kind: 'document',
    title: task,
    task,
    input: { purpose: 'p', context: 'c' },
  } as const;
  const sent = await send(ctx, agentPrincipal(GROK), { ...asked, terms, draft: true });
  return sent.ok ? sent.value.id : sent.refusal.code;
}

export const ACTS: Readonly<
  Record<string, (ctx: Context, id: HandoffId, random: SeededRandom) => Promise<Result<Handoff, unknown>>>
> = {
  revise: (ctx, id, random) =>
    revise(ctx, agentPrincipal(GROK), id, {
      ...(random.chance(0.6) ? { title: `title ${random.below(1000)}` } : {}),
      ...(random.chance(0.4) ? { inputFields: { purpose: `purpose ${random.below(1000)}` } } : {}),
      ...(random.chance(0.3) ? { terms: otherTerms(random.below(1000)) } : {}),
    }),
  activate: (ctx, id) => activate(ctx, agentPrincipal(GROK), id),
  accept: (ctx, id, random) => accept(ctx, agentPrincipal(CLAUDE), id, { notes: `note ${random.below(1000)}` }),
  reject: (ctx, id) => reject(ctx, agentPrincipal(CLAUDE), id, { type: 'workload', reason: 'too much' }),
  cancel: (ctx, id) => cancel(ctx, agentPrincipal(GROK), id, 'not wanted'),
  release: (ctx, id) => release(ctx, agentPrincipal(CLAUDE), id, null),
  ask: (ctx, id, random) => block(ctx, agentPrincipal(CLAUDE), id, null, `which one, ${random.below(1000)}?`),
  answer: (ctx, id, random) => unblock(ctx, agentPrincipal(GROK), id, `that one, ${random.below(1000)}`),
  deliver: (ctx, id, random) =>
    deliver(ctx, agentPrincipal(CLAUDE), {
      target: id,
      fence: null,
      result: null,
      evidence: [{ deliverable: 'code', kind: 'note', value: `seen ${random.below(1000)}` }],
    }),
  verify: async (ctx, id) => {
    const { criteria = [], verifiers = [] } = (await ctx.store.load(id))?.handoff.terms ?? {};
    const met = criteria.map((criterion) => ({ criterion, says: 'it is' }));
    return verify(ctx, agentPrincipal(present(verifiers.at(-1), 'there is a verifier')), { id, criteria: met });
  },
  rework: (ctx, id) => requestRework(ctx, OPERATOR, id, 'not yet'),
};

function otherTerms(number: number): Partial<Pick<Terms, 'criteria' | 'verifiers'>> {
  const criteria = [`criterion ${number}`];
  return [{ criteria }, { verifiers: [QA] }, { verifiers: [] }, { criteria, verifiers: [QA] }][number % 4] ?? {};
}

/** What can be done in a state; the likelier ones more than once. */
export const FITTING: Readonly<Partial<Record<State, readonly string[]>>> = {
  draft: ['revise', 'revise', 'activate', 'activate', 'cancel'],
  offered: ['accept', 'accept', 'accept', 'reject', 'cancel'],
  accepted: ['deliver', 'deliver', 'release', 'ask', 'cancel', 'reject'],
  blocked: ['answer', 'answer', 'cancel'],
  delivered: ['verify', 'verify', 'rework', 'cancel'],
};

async function act(clone: Clone, random: SeededRandom): Promise<string> {
  const { items } = await clone.ctx.store.find({ by: 'filter', max: 200 });
  const open = items.filter(({ state }) => !isFinal(state));
  if (open.length === 0) return 'nothing to do';
  const { id, state } = random.pick(open);
  const name = random.pick(FITTING[state] ?? ['cancel']);
  const done = await present(ACTS[name], name)(clone.ctx, id, random);
  if (done.ok && (await isOverruledSince(clone, id, done.value))) clone.lost.push(`${name} ${id} (${state})`);
  return `${name} ${id} (${state}) ${done.ok ? '' : 'refused'}`;
}

/** What was decided a moment ago, with everything that this clone had from git, is overruled by nothing. */
async function isOverruledSince({ ctx }: Clone, id: HandoffId, { revision }: Handoff): Promise<boolean> {
  const facts = await ctx.store.facts({ handoff: id, max: 1_000 });
  return facts.some(({ fact }) => fact.deed === 'supersede' && fact.revision > revision);
}

export async function expire({ ctx }: Clone): Promise<number> {
  await sweep(ctx, await checkOnce(ctx));
  return (await sweep(ctx, await checkOnce(ctx))).changed;
}

async function pull(clone: Clone, random: SeededRandom, syncs = 0.7): Promise<string> {
  const how = random.chance(0.5) ? 'merge' : 'rebase';
  // In a straight line of commits, whoever was first stays first; a merge may be resolved either way.
  const choose = (): 'ours' | 'theirs' => (how === 'rebase' ? 'theirs' : random.pick(['ours', 'theirs']));
  const isDone = clone.pull(how, choose);
  if (!isDone) clone.commit();
  const isDoneThen = isDone || clone.pull(how, choose);
  if (random.chance(syncs)) await clone.documents.sync('thorough');
  return `pull --${how} ${isDone ? '' : 'after a commit '}${isDoneThen}`;
}

async function share(clone: Clone, random: SeededRandom): Promise<boolean> {
  clone.commit();
  if (!clone.push()) await pull(clone, random);
  return clone.push();
}

/** Somebody looks at an old commit and comes back. */
async function detour(clone: Clone, random: SeededRandom): Promise<string> {
  if (clone.isDirty()) return 'no detour: dirty';
  const here = clone.head();
  clone.checkout(random.pick([...ancestorsOf(here).values()]));
  await clone.documents.sync('thorough');
  if (clone.isDirty()) return 'detour made the tree dirty';
  clone.checkout(here);
  return 'detour';
}

/** To the second, as documents count. */
function dueOf(handoff: Handoff): string {
  const dueAt = dueAtOf(handoff);
  return dueAt === null ? 'never due' : new Date(dueAt).toISOString().slice(0, 19);
}

/** Everybody pulls everything and syncs, until nothing changes. */
async function settle(clones: readonly Clone[], random: SeededRandom): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    if (round > 2 && clones.every((clone) => !clone.isDirty() && clone.head().id === clones[0]?.head().id)) return;
    for (const clone of clones) {
      clone.commit();
      clone.pull('merge', () => random.pick(['ours', 'theirs']));
      await clone.documents.sync('thorough', { asked: true });
      await clone.documents.sync('thorough', { asked: true });
      clone.commit();
      clone.push();
    }
  }
}

export async function judged(clones: readonly Clone[]): Promise<Omit<Outcome, 'trace'>> {
  const broken: string[] = [];
  const [first, ...others] = clones;
  const told = new Map<Clone, ReadonlyMap<string, string>>();
  let overruled = 0;
  for (const clone of clones) {
    const { items } = await clone.ctx.store.find({ by: 'filter', max: 1_000 });
    const words = new Map<string, string>();
    told.set(clone, words);
    for (const handoff of items) {
      const { input } = JSON.parse((await clone.ctx.store.load(handoff.id))?.body ?? '{}') as {
        input?: Readonly<Record<string, unknown>>;
      };
      words.set(
        handoff.id,
        `${wordsOf(handoff)} ${dueOf(handoff)} ${String(input?.['purpose'])} ${String(input?.['context'])}`,
      );
      const facts = (await clone.ctx.store.facts({ handoff: handoff.id, max: 1_000 })).map(({ fact }) => fact);
      overruled += facts.filter(({ deed }) => deed === 'supersede').length;
      if (firstBrokenRevision(facts) !== null) broken.push(`${clone.name}: the trail of ${handoff.id} does not add up`);
    }
    if (clone.isDirty()) broken.push(`${clone.name}: its tree is dirty`);
    broken.push(...clone.lost.map((what) => `${clone.name}: ${what} was lost`));
    for (const event of clone.events) {
      if (event.kind === 'fault') broken.push(`${clone.name}: ${event.doing}: ${String(event.error)}`);
      if (event.kind === 'document-refused') broken.push(`${clone.name}: refused ${event.id}: ${event.says}`);
    }
  }
  const base = present(first, 'there is a clone');
  for (const other of others) {
    broken.push(
      ...differences(
        told.get(base) ?? new Map(),
        told.get(other) ?? new Map(),
        `databases of ${base.name} and ${other.name}`,
      ),
    );
    broken.push(...differences(base.files, other.files, `files of ${base.name} and ${other.name}`));
  }
  for (const [path, text] of base.files) {
    const id = path.slice(path.lastIndexOf('/') + 1, -'.md'.length);
    const status = /^status: (\w+)/m.exec(text)?.[1] ?? '';
    const known = told.get(base)?.get(id) ?? 'unknown';
    if (!known.startsWith(status)) broken.push(`${id}: the file says ${status}, the database ${known}`);
  }
  const settled = [...(told.get(base) ?? [])].filter(([, words]) =>
    /^(?:Complete|Rejected|Expired)/.test(words),
  ).length;
  return { broken, overruled, settled };
}

const STATUS: Readonly<Record<string, string>> = {
  draft: 'Created',
  offered: 'Active',
  blocked: 'Active',
  accepted: 'Acknowledged',
  delivered: 'Acknowledged',
  completed: 'Complete',
  failed: 'Rejected',
  rejected: 'Rejected',
  expired: 'Expired',
  cancelled: 'Rejected',
};

function wordsOf({ state, claims, blockedOn, title, terms }: Handoff): string {
  const shown = state === 'delivered' || state === 'completed' ? JSON.stringify(claims) : '';
  const asked = `${title} ${terms.criteria.join()} ${terms.verifiers.join()}`;
  return `${STATUS[state]} ${state} ${shown} ${blockedOn?.reason === 'question' ? blockedOn.text : ''} ${asked}`;
}

function differences(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>, what: string): readonly string[] {
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter((key) => a.get(key) !== b.get(key))
    .map(
      (key) =>
        `${what} differ in ${key}: ${a.get(key)?.slice(0, 1500) ?? 'nothing'} | ${b.get(key)?.slice(0, 1500) ?? 'nothing'}`,
    );
}
