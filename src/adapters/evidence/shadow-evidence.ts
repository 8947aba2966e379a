/**
 * The verdict of a shadow test as evidence: it is a PASS in a shadow, the built-in worker delivered it, and the tested tree
 * is the tree that is here now. Checked when it is shown, and again before somebody verifies.
 */
import { realpathSync } from 'node:fs';
import type { Body } from '../../domain/body.ts';
import { readHandoffId } from '../../domain/names.ts';
import { agentPrincipal, principalText } from '../../domain/principal.ts';
import { firstBrokenRevision } from '../../domain/facts.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { readManifest } from '../../formats/shadow-manifest/manifest.ts';
import { readVerdict } from '../../formats/shadow-manifest/verdict.ts';
import { SHADOW_OPERATOR, SHADOW_SMOKE_TEST } from '../../engine/shadow/worker.ts';
import { err, type Result } from '../../foundation/result.ts';
import { isWithin } from '../../foundation/path-within.ts';
import { quoted, seen, untrue, type CheckRequest, type EvidenceOf, type Finding } from './evidence-finding.ts';

/** A shadow test writes a handful of facts. */
const FACTS_MAX = 10_000;
const TEST_AGAIN = 'test again with: baton shadow test';

export async function checkShadowTest(text: string, request: CheckRequest): Promise<Finding> {
  const found = await verdictOf(text.trim(), request);
  if (typeof found === 'string') return untrue(found);
  const says = `the shadow test ${found.handoff} passed with ${found.score} of ${found.max} points, on this tree (${found.tree})`;
  const { handoff, tree, trail } = found;
  return seen({ kind: 'shadow', handoff, tree, trail }, says);
}

export async function recheckShadowTest(was: EvidenceOf<'shadow'>, request: CheckRequest): Promise<Finding> {
  const found = await verdictOf(was.handoff, request);
  if (typeof found === 'string') return untrue(`it was a PASS when it was delivered, but now ${found}`);
  if (found.trail !== was.trail) return untrue(`the record of ${was.handoff} is not the one that was shown`);
  if (found.tree !== was.tree) return untrue(`${was.handoff} tested another tree than the one that was shown`);
  return seen(was, `the shadow test ${was.handoff} passed, and the tree that it tested is unchanged`);
}

interface Found extends Omit<EvidenceOf<'shadow'>, 'kind'> {
  readonly score: number;
  readonly max: number;
}

/** The verdict, or why it proves nothing. */
async function verdictOf(text: string, { options: { folder, store } }: CheckRequest): Promise<Found | string> {
  const id = readHandoffId(text);
  const whole = id === null ? null : await store.load(id);
  if (id === null || whole === null) return `${quoted(text)} is no handoff of this workspace; ${TEST_AGAIN}`;
  const { handoff, outcome } = whole;
  if (handoff.from !== SHADOW_OPERATOR || handoff.to !== SHADOW_SMOKE_TEST) return `${id} is no shadow test`;
  if (handoff.state !== 'completed' || outcome === null)
    return `the shadow test ${id} is ${handoff.state}; ${TEST_AGAIN}`;
  const facts = (await store.facts({ handoff: id, max: FACTS_MAX })).map(({ fact }) => fact);
  const isSealed = firstBrokenRevision(facts) === null && facts.at(-1)?.hash === handoff.trail;
  const isAnswered = facts.some(
    ({ deed, by }) => deed === 'deliver' && by === principalText(agentPrincipal(SHADOW_SMOKE_TEST)),
  );
  if (!isSealed || !isAnswered) return `the trail of ${id} does not add up; see: baton doctor`;
  const result = JSON.parse(outcome) as Outcome;
  const verdict = result.kind === 'result' ? readVerdict(result.result) : null;
  if (verdict === null) return `${id} holds no verdict; ${TEST_AGAIN}`;
  if (verdict.verdict !== 'PASS')
    return `the verdict of ${id} is ${verdict.verdict}; correct what it names, and ${TEST_AGAIN}`;
  if (verdict.mode !== 'shadow') return `${id} was judged on the host only; test it where a container runtime answers`;
  const manifest = readManifest((JSON.parse(whole.body) as Body).input);
  const [path] = manifest.ok ? manifest.value.localSources.map((source) => source.path) : [];
  const [source] = verdict.evidence.environment?.sources ?? [];
  if (path === undefined || source === undefined) return `${id} names no source; ${TEST_AGAIN}`;
  const now = await treeNow(path, folder);
  if (!now.ok) return now.refusal;
  if (now.value !== source.tree) {
    return `the files have changed since ${id}: its tree was ${source.tree}, is ${now.value}; ${TEST_AGAIN}`;
  }
  return { handoff: id, tree: source.tree, trail: handoff.trail, score: verdict.score, max: verdict.max_score };
}

/** A handoff may name any path: only the repository around the workspace, or one inside of it, is read. */
async function treeNow(path: string, folder: string): Promise<Result<string, string>> {
  const { gitSnapshots } = await import('../../shadows/snapshot.ts');
  const { withoutTilde } = await import('../shadows/open-shadows.ts');
  const at = await gitSnapshots.repositoryAt(withoutTilde(path));
  if (!at.ok) return at;
  const base = realpathSync(folder);
  const isOurs = isWithin(at.value.folder, base) || isWithin(base, at.value.folder);
  if (!isOurs) return err(`${quoted(path)} lies outside of this workspace`);
  return gitSnapshots.treeOf(at.value.folder);
}
