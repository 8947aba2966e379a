/** Lies that come through files, commits, imports, summaries and the database itself. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { assuranceOf } from '../../src/domain/assurance.ts';
import type { AgentId, HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { reportOn } from '../../src/domain/project-report.ts';
import type { Context } from '../../src/engine/context.ts';
import { factsOf } from '../../src/engine/handoffs/read.ts';
import { revise } from '../../src/engine/handoffs/revise.ts';
import { verify } from '../../src/engine/handoffs/verify.ts';
import { projects } from '../../src/engine/handoffs/projects.ts';
import { examineTrails } from '../../src/engine/health-checks.ts';
import { reportJunit } from '../../src/interfaces/shared/report/junit.ts';
import { chooseBinding } from '../../src/stores/sqlite/choose-binding.ts';
import { addKey, endKey } from '../../src/workspace/agent-keys.ts';
import { agentOf as summaryAgent, summaryWorld, type Said } from '../engine/summaries/summary-world.ts';
import { documentsWorld, ON, type DocumentsWorld } from '../folders/documents-world.ts';
import { answer } from '../folders/native.ts';
import { queueWorld } from '../folders/queue-world.ts';
import { tempFolder } from '../support/processes.ts';
import { exported, imported, memoryStore } from '../transfer/sample.ts';
import { forged, type Line } from './forged-export.ts';
import { answerOf, local, truthWorld, type Attempt, type TruthWorld } from './world.ts';

const STRICT = `${ON}identity: strict\n`;
const VERIFIED = {
  status: 'Complete',
  completion_verified_by: 'perplexity',
  criteria_checks: [{ criterion: 'works', status: 'met' }],
};

function soon(): { readonly updated_at: string } {
  return { updated_at: new Date(Date.now() + 2_000).toISOString() };
}

/** A document that was delivered, committed, and then changed by somebody. */
async function delivered(configuration: string): Promise<{ readonly world: DocumentsWorld; readonly id: HandoffId }> {
  const world = await documentsWorld(undefined, configuration);
  world.git('init', '-q');
  const id = await world.at('delivered');
  commit(world);
  return { world, id };
}

function commit(world: DocumentsWorld, ...signing: readonly string[]): void {
  world.git('add', '-A');
  world.git(...signing, 'commit', '-qm', 'somebody says so', ...(signing.length === 0 ? [] : ['-S']));
}

async function standing({ ctx }: Pick<DocumentsWorld, 'ctx'>, id: string): Promise<string> {
  const whole = present(await ctx.store.load(id as HandoffId), `${id} is there`);
  return [whole.handoff.state, assuranceOf(whole.handoff)].filter((part) => part !== null).join(' ');
}

async function byCommit(configuration: string, changes: object): Promise<string> {
  const { world, id } = await delivered(configuration);
  world.edit(id, { ...changes, ...soon() });
  commit(world);
  await world.sync();
  return standing(world, id);
}

async function byFile(configuration: string, changes: object): Promise<string> {
  const { world, id } = await delivered(configuration);
  world.edit(id, { ...changes, ...soon() });
  await world.sync();
  return standing(world, id);
}

/** Signed by git itself with a key of its own; `owner`: for whom the key is registered. */
async function bySignedCommit(owner: string | null, more: { readonly revoked?: true } = {}): Promise<string> {
  const { world, id } = await delivered(STRICT);
  const key = join(tempFolder(), 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', key]);
  if (owner !== null) {
    const added = await addKey(world.ctx.store, summaryAgent(owner), readFileSync(`${key}.pub`, 'utf8'), 'operator');
    expect(added).toMatchObject({ agent: owner });
    if (more.revoked === true)
      await endKey(world.ctx.store, 'revoke', (added as { fingerprint: string }).fingerprint, 'operator');
    await world.ctx.rules.refresh();
  }
  world.edit(id, { ...VERIFIED, ...soon() });
  commit(world, '-c', 'gpg.format=ssh', '-c', `user.signingkey=${key}.pub`);
  await world.sync();
  return standing(world, id);
}

const DOCUMENTS: readonly Attempt[] = [
  ['an unsigned commit verifies', 'commit', 'completed reported', () => byCommit(ON, VERIFIED)],
  ['an edited file verifies', 'file', 'completed attested', () => byFile(ON, VERIFIED)],
  ['strict: an unsigned commit verifies', 'commit', 'delivered', () => byCommit(STRICT, VERIFIED)],
  ['strict: an edited file verifies', 'file', 'delivered', () => byFile(STRICT, VERIFIED)],
  [
    'strict: a commit says that the operator verified',
    'commit',
    'delivered',
    () => byCommit(STRICT, { ...VERIFIED, completion_verified_by: 'operator' }),
  ],
  [
    'the doer verifies by a commit',
    'commit',
    'delivered',
    () => byCommit(ON, { ...VERIFIED, completion_verified_by: 'claude' }),
  ],
  [
    'the doer verifies by an edit',
    'file',
    'delivered',
    () => byFile(ON, { ...VERIFIED, completion_verified_by: 'claude' }),
  ],
  ['an edit writes `assurance: verified`', 'file', 'delivered', () => byFile(ON, { assurance: 'verified' })],
  [
    'no lie: strict, a commit signed by the verifier',
    'commit',
    'completed attested',
    () => bySignedCommit('perplexity'),
  ],
  ['strict: a commit signed by the doer', 'commit', 'delivered', () => bySignedCommit('claude')],
  ['strict: a commit signed with a key that nobody registered', 'commit', 'delivered', () => bySignedCommit(null)],
  [
    'strict: a commit signed with a revoked key',
    'commit',
    'delivered',
    () => bySignedCommit('perplexity', { revoked: true }),
  ],
  [
    'a date of 2099 hides what comes after it',
    'commit',
    'accepted',
    async () => {
      const world = await documentsWorld(undefined, ON);
      world.git('init', '-q');
      const id = await world.at('offered');
      commit(world);
      world.edit(id, { title: 'A thing', updated_at: '2099-01-01T00:00:00Z' });
      commit(world);
      await world.sync();
      world.edit(id, { status: 'Acknowledged', acknowledged_by: 'claude', ...soon() });
      commit(world);
      await world.sync();
      return standing(world, id);
    },
  ],
].map(([lie, through, answer, attempt]) => ({ lie, through, answer, attempt }) as Attempt);

/** What the machine says of a command that was delivered by a commit, when somebody verifies it here. */
async function commandByCommit(): Promise<string> {
  const world = await documentsWorld(undefined, `${ON}evidence: { commands: allow }\n`);
  world.git('init', '-q');
  const id = await world.at('accepted', { deliverables: ['code'] });
  commit(world);
  const now = new Date(Date.now() + 1_000).toISOString();
  world.edit(id, {
    delivered_at: now,
    deliverable_status: [
      { deliverable: 'code', status: 'claimed', evidence: [`command:true#exit=0,sha256=${'0'.repeat(64)}`] },
    ],
    updated_at: now,
  });
  commit(world);
  await world.sync();
  const claimed = present(await world.ctx.store.load(id), 'it is there').handoff.claims;
  expect(claimed).toMatchObject([{ evidence: [{ kind: 'command', elsewhere: true }] }]);
  await world.sync();
  expect(await standing(world, id)).toBe('delivered');
  return verdictOf(world.ctx, id, summaryAgent('perplexity'), ['works']);
}

async function verdictOf(ctx: Context, id: HandoffId, by: AgentId, criteria: readonly string[]): Promise<string> {
  const judged = criteria.map((criterion) => ({ criterion, says: 'looked' }));
  const done = await verify(ctx, agentPrincipal(by), { id, criteria: judged });
  expect(done).toMatchObject({ ok: true });
  const facts = await factsOf(ctx, id);
  const detail = JSON.parse(facts.at(-1)?.detail ?? '{}') as { readonly checks?: readonly { readonly says: string }[] };
  return detail.checks?.[0]?.says ?? '';
}

async function commandByImport(): Promise<string> {
  const world = await truthWorld();
  const handoff = await world.ask();
  await world.deliver(handoff, [{ kind: 'command', value: 'true' }]);
  const { text } = await exported(world.ctx.store);
  const other = await truthWorld();
  await imported(other.ctx.store, text, { source: 'gift.jsonl' });
  return verdictOf(other.ctx, handoff.id, summaryAgent('qa'), []);
}

async function queued(verifiers: readonly string[]): Promise<string> {
  const world = await queueWorld();
  const id = await world.send({}, { verifiers: verifiers.map(summaryAgent) });
  world.move(id, 'pending', 'in-progress');
  await world.sync();
  const text = { ...world.read('in-progress', id), status: 'completed', output: {} };
  world.move(id, 'in-progress', 'completed');
  world.write('completed', id, text);
  await world.sync();
  const places = world.places(id);
  const told = places.includes('completed') ? ((world.read('completed', id)['assurance'] ?? '') as string) : '';
  return [await world.state(id), ...places, told].filter((part) => part !== '').join(' ');
}

async function filled(world: TruthWorld): Promise<HandoffId> {
  world.write('page.html', 'done');
  const handoff = await world.ask();
  await world.deliver(handoff, [{ kind: 'file', value: 'page.html' }]);
  expect(answerOf(await world.verify(handoff.id))).toBe('completed verified');
  return handoff.id;
}

async function afterImport(change: (line: Line) => void): Promise<string> {
  const world = await truthWorld();
  const id = await filled(world);
  const { text } = await exported(world.ctx.store);
  const store = memoryStore();
  const taken = await imported(store, forged(text, change), { source: 'gift.jsonl' });
  if (!taken.ok) return 'code' in taken.refusal ? `refused ${taken.refusal.code}` : 'refused';
  const whole = present(await store.load(id), 'it is there');
  return `${whole.handoff.state} ${assuranceOf(whole.handoff)} from ${whole.handoff.lineage.imported}`;
}

const TRANSFERS: readonly Attempt[] = [
  {
    lie: 'a foreign worker moves to completed/ what still needs verification',
    through: 'queue file',
    answer: 'delivered in-progress',
    attempt: () => queued(['qa']),
  },
  {
    lie: 'a command that a commit says has passed was never run here',
    through: 'commit',
    answer: '"true" passes here for the first time (exit code 0)',
    attempt: commandByCommit,
  },
  {
    lie: 'a command that an import says has passed was never run here',
    through: 'import',
    answer: '"true" passes here for the first time (exit code 0)',
    attempt: commandByImport,
  },
  {
    lie: 'no lie: a foreign worker completes what nobody has to verify, and its file stays its own word',
    through: 'queue file',
    answer: 'completed completed',
    attempt: () => queued([]),
  },
  {
    lie: 'no lie: a worker of ours completes what nobody has to verify',
    through: 'queue file',
    answer: 'unverified',
    attempt: async () => {
      const world = await queueWorld();
      const id = await world.send();
      await answer(world, id, 1);
      return world.read('completed', id)['assurance'] as string;
    },
  },
  {
    lie: 'no lie: an honest export with file evidence is imported again',
    through: 'import',
    answer: 'completed reported from gift.jsonl',
    attempt: () => afterImport(() => undefined),
  },
  {
    lie: 'a forged export with recomputed hashes',
    through: 'import',
    answer: 'completed reported from gift.jsonl',
    attempt: () =>
      afterImport(({ facts }) => {
        for (const fact of facts) (fact as { at: number }).at += 1000;
      }),
  },
  {
    lie: 'an export whose terms were changed',
    through: 'import',
    answer: 'refused bad-line',
    attempt: () =>
      afterImport(({ handoff }) => {
        (handoff['terms'] as Record<string, unknown>)['criteria'] = ['none at all'];
      }),
  },
  {
    lie: 'an export that calls itself more than its trail says',
    through: 'import',
    answer: 'refused bad-line',
    attempt: () =>
      afterImport(({ facts }) => {
        const last = facts.at(-1) as { detail: string };
        last.detail = JSON.stringify({ ...(JSON.parse(last.detail) as object), via: undefined });
      }),
  },
  {
    lie: 'delivered elsewhere, imported, and verified here',
    through: 'import',
    answer: 'completed reported',
    attempt: async () => {
      const world = await truthWorld();
      world.write('page.html', 'done');
      const handoff = await world.ask();
      await world.deliver(handoff, [{ kind: 'file', value: 'page.html' }]);
      const { text } = await exported(world.ctx.store);
      const other = await truthWorld();
      other.write('page.html', 'done');
      await imported(other.ctx.store, text, { source: 'gift.jsonl' });
      return answerOf(await other.verify(handoff.id));
    },
  },
];

async function told(
  last: Said,
  how: 'outcome' | 'case' = 'outcome',
  required: 'reported' | 'unverified' = 'reported',
): Promise<string> {
  const world = summaryWorld({ requiredAssurance: required });
  await world.say({ to: 'None', ...last });
  const report = reportOn(await projects(world.ctx, null));
  if (how === 'outcome') return String(report.outcome);
  return (
    /<testcase[^>]*>\s*<(\w+) [^>]*message="[^"]*: ([^"]*)"/.exec(reportJunit(report))?.slice(1).join(': ') ?? 'green'
  );
}

const SUMMARIES: readonly Attempt[] = [
  ['no lie, where the project takes reports', 'complete', () => told({})],
  ['0 of 25 tests', 'failed', () => told({ metrics: { tests: '0/25' } })],
  ['3 of 25 tests, in words', 'failed', () => told({ metrics: { tests: '3 of 25 tests' } })],
  ['`tests_passed: false`', 'failed', () => told({ metrics: { tests_passed: false } })],
  ['tests_passed: 3 of tests_total: 25', 'failed', () => told({ metrics: { tests_passed: 3, tests_total: 25 } })],
  ['two tests failed', 'failed', () => told({ metrics: { tests_failed: 2 } })],
  [
    'a claim without proof, where verification is not required',
    'skipped: completed, but not proven as required (only reported)',
    () => told({}, 'case', 'unverified'),
  ],
  [
    'a contradicted claim in JUnit',
    'failure: completed, but contradicted (tests_passed is false)',
    () => told({ metrics: { tests_passed: false } }, 'case'),
  ],
].map(([lie, answer, attempt]) => ({ lie, through: 'summary', answer, attempt }) as Attempt);

/** Changes the database behind Baton's back, and asks the doctor. */
async function tampered(sql: string, prepare: (world: TruthWorld) => Promise<unknown> = filled): Promise<string> {
  const world = await truthWorld();
  await prepare(world);
  const path = present(world.app.workspace, 'a workspace').databasePath;
  await world.app.close();
  const { DatabaseSync } = chooseBinding();
  const database = new DatabaseSync(path);
  database.exec(`DROP TRIGGER final_is_final; ${sql}`);
  database.close();
  const again = await truthWorld(readFileSync(join(world.folder, 'baton.yaml'), 'utf8'), world.folder);
  const check = await examineTrails(again.ctx, { signal: new AbortController().signal, progress: () => undefined });
  return `${check.verdict}: ${check.says.replace(/^\S+: /, '')}`;
}

async function revised({ ctx, ask }: TruthWorld): Promise<void> {
  const { id } = await ask({}, { draft: true });
  expect(await revise(ctx, local('pm'), id, { title: 'Better', input: { page: 2 } })).toMatchObject({ ok: true });
}

const CHANGED = 'problem: its terms, title, parties or input are not those that it was made with';
const DATABASE: readonly Attempt[] = (
  [
    ['nothing at all', 'ok: 1 trail with 4 facts adds up', "UPDATE handoff SET title = title WHERE id = 'none'"],
    ['other terms', CHANGED, `UPDATE handoff SET terms = replace(terms, '"page"', '"less"')`],
    ['another title', CHANGED, "UPDATE handoff SET title = 'a nicer one'"],
    ['another input', CHANGED, `UPDATE body SET text = '{"input":"another"}'`],
    [
      'other evidence',
      'problem: its evidence is not what was delivered',
      `UPDATE handoff SET claims = replace(claims, 'page.html', 'other.html')`,
    ],
    [
      'another assurance',
      'problem: it is called attested, its trail makes it verified',
      'UPDATE handoff SET extra = \'{"assurance":"attested"}\'',
    ],
    ['nothing of a revised draft', 'ok: 1 trail with 2 facts adds up', 'UPDATE handoff SET title = title', revised],
    ['the title of a revised draft', CHANGED, "UPDATE handoff SET title = 'a nicer one'", revised],
    ['the input of a revised draft', CHANGED, `UPDATE body SET text = '{"input":"another"}'`, revised],
  ] as const
).map(([lie, answer, sql, prepare]): Attempt => {
  const attempt = (): Promise<string> => tampered(sql, prepare);
  return { lie: `the database is changed: ${lie}`, through: 'database', answer, attempt };
});

describe('places', () => {
  it.each([...DOCUMENTS, ...TRANSFERS, ...SUMMARIES])(
    '$through: $lie → $answer',
    async ({ attempt, answer: wanted }) => {
      expect(await attempt()).toBe(wanted);
    },
  );

  it.each(DATABASE)('$through: $lie → $answer', async ({ attempt, answer: wanted }) => {
    expect(await attempt()).toBe(wanted);
  });
});
