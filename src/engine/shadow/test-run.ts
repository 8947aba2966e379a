/** `baton shadow test`: creates a shadow, sends its manifest to the smoke test, waits for the verdict and cleans up (V9). */
import type { JsonObject } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { HandoffId } from '../../domain/names.ts';
import { agentPrincipal, type Principal } from '../../domain/principal.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { ShadowManifest, ShadowProblem } from '../../domain/shadow.ts';
import { manifestJson } from '../../formats/shadow-manifest/manifest.ts';
import { runDuty } from '../duty.ts';
import type { Context } from '../context.ts';
import { cancel } from '../handoffs/reject-and-cancel.ts';
import { send, type SendRefusal } from '../handoffs/send.ts';
import { wait, type WaitRefusal } from '../handoffs/wait.ts';
import { work } from '../work.ts';
import { cleanUp } from './clean-up.ts';
import { createShadow, remove, type FoundSource, type ShadowRefusal, type TestContext } from './create.ts';
import { SHADOW_OPERATOR, SHADOW_SMOKE_TEST, shadowWorker, type WorkerOptions } from './worker.ts';
import type { ShadowRecord, ShadowContext } from './shadow-context.ts';

export interface TestRequest extends WorkerOptions {
  readonly sources: readonly FoundSource[];
  /** The shadow stays when the test is over. */
  readonly keep: boolean;
  readonly signal: AbortSignal;
}

export interface TestRun {
  readonly id: HandoffId;
  readonly manifest: ShadowManifest;
  readonly problem: ShadowProblem | null;
  readonly verdict: JsonObject;
  readonly removed: readonly string[];
}

export type TestRefusal =
  | ShadowRefusal
  | SendRefusal
  | WaitRefusal
  | { readonly code: 'shadow-test-failed'; readonly id: HandoffId; readonly reason: string; readonly says: string }
  | { readonly code: 'shadow-interrupted' };

/** Time for claiming and settling, in addition to the test itself. */
const SETTLE_MARGIN_MS = 30_000;

export async function runShadowTest(
  ctx: Context,
  principal: Principal,
  shadows: ShadowContext,
  request: TestRequest,
): Promise<Result<TestRun, TestRefusal>> {
  const { signal, keep } = request;
  request.progress?.(0, 'making a shadow of the working tree');
  const owner = keep ? null : shadows.liveness.self;
  const [cleaned, created] = await Promise.all([
    cleanUp(shadows),
    createShadow(shadows, request.sources, { owner, signal }),
  ]);
  if (!created.ok) return created;
  const record = created.value.success ? created.value.record : null;
  const problem = created.value.success ? null : created.value.problem;
  try {
    if (signal.aborted) return err({ code: 'shadow-interrupted' });
    const manifest = manifestFor(request.sources, record, created.value.context, problem);
    const tested = await testByHandoff(ctx, principal, shadows, request, manifest);
    return tested.ok ? ok({ ...tested.value, manifest, problem, removed: cleaned.removed }) : tested;
  } finally {
    if (record !== null && !keep) await remove(shadows, record.id);
  }
}

/** With a shadow, or with the reason why there is none. */
export function manifestFor(
  sources: readonly FoundSource[],
  record: ShadowRecord | null,
  context: TestContext,
  problem: ShadowProblem | null,
): ShadowManifest {
  return {
    shadowId: record?.id ?? null,
    shadowAvailable: record !== null,
    localSources: sources.map(({ request, repository }, index) => ({
      path: request.path,
      repository,
      snapshotCommit: record?.sources[index]?.commit ?? null,
    })),
    changedFiles: context.changedFiles,
    affectedModules: context.modules,
    projectType: context.type,
    fallbackMode: record === null,
    failureReason: problem?.code ?? null,
  };
}

async function testByHandoff(
  ctx: Context,
  principal: Principal,
  shadows: ShadowContext,
  request: TestRequest,
  manifest: ShadowManifest,
): Promise<Result<Pick<TestRun, 'id' | 'verdict'>, TestRefusal>> {
  const sent = await send(ctx, principal, {
    from: SHADOW_OPERATOR,
    to: SHADOW_SMOKE_TEST,
    title: `Shadow test of ${manifest.localSources.map(({ repository }) => repository).join(', ')}`.slice(0, 200),
    input: manifestJson(manifest),
    terms: { attemptTimeoutMs: shadows.settings.testMs },
  });
  if (!sent.ok) return sent;
  const { id } = sent.value;
  const over = new AbortController();
  const duty = runDuty(ctx, over.signal);
  const working = work(ctx, {
    agent: SHADOW_SMOKE_TEST,
    principal: agentPrincipal(SHADOW_SMOKE_TEST),
    handler: shadowWorker(shadows, request),
    stop: over.signal,
    abort: request.signal,
  });
  try {
    const timeoutMs = shadows.settings.testMs + SETTLE_MARGIN_MS;
    const waited = await wait(ctx, agentPrincipal(SHADOW_OPERATOR), id, { timeoutMs, signal: request.signal });
    if (request.signal.aborted) return err({ code: 'shadow-interrupted' });
    if (!waited.ok) return waited;
    const outcome = waited.value.outcome === null ? null : (JSON.parse(waited.value.outcome) as Outcome);
    if (outcome?.kind === 'result') return ok({ id, verdict: outcome.result as JsonObject });
    const { state } = waited.value.handoff;
    const { code: reason, message: says } = outcome ?? { code: state, message: `the handoff is ${state}` };
    return err({ code: 'shadow-test-failed', id, reason, says });
  } finally {
    over.abort();
    await Promise.all([working, duty]);
    // The worker has released the handoff. Without its shadow it cannot be done.
    if (request.signal.aborted) await cancel(ctx, agentPrincipal(SHADOW_OPERATOR), id, 'interrupted');
  }
}
