/** The built-in worker of `@shadow-smoke-test` (V9): its input is a manifest, its result a verdict. FAIL is a result, not a failure. */
import type { Json } from '../../foundation/json.ts';
import { readAgentId, type AgentId } from '../../domain/names.ts';
import { SHADOW_ERRORS, type ShadowManifest } from '../../domain/shadow.ts';
import { incompleteVerdict, NO_SANDBOX, type ShadowVerdict } from '../../domain/shadow-verdict.ts';
import { readManifest, readManifestText } from '../../formats/shadow-manifest/manifest.ts';
import { verdictJson } from '../../formats/shadow-manifest/verdict.ts';
import type { Body } from '../../domain/body.ts';
import { HandlerFailure } from '../attempt.ts';
import type { Handler } from '../work.ts';
import { judgeHost } from './host-test.ts';
import { judgeShadow, type TestProgress } from './smoke-test.ts';
import type { ShadowContext } from './shadow-context.ts';

export const SHADOW_OPERATOR = readAgentId('@shadow-operator') as AgentId;
export const SHADOW_SMOKE_TEST = readAgentId('@shadow-smoke-test') as AgentId;

export interface WorkerOptions {
  readonly hostExecution: 'allowed' | 'refused';
  readonly hostOnly: 'allowed' | 'refused';
  /** Whether a path on this host may be read for a test without a shadow. Any agent can send a manifest. */
  mayRead(path: string): Promise<boolean>;
  progress?(fraction: number, says: string): void;
}

export function shadowWorker(shadows: ShadowContext, options: WorkerOptions): Handler {
  return async ({ body }, attempt) => {
    const manifest = manifestIn((JSON.parse(body) as Body).input);
    const watching: TestProgress = {
      signal: attempt.signal,
      progress: (given, says) => {
        const fraction = Math.round(given * 100) / 100;
        attempt.progress(fraction, says);
        options.progress?.(fraction, says);
      },
    };
    return verdictJson(await judge(shadows, manifest, options, watching));
  };
}

async function judge(
  shadows: ShadowContext,
  manifest: ShadowManifest,
  options: WorkerOptions,
  watching: TestProgress,
): Promise<ShadowVerdict> {
  if (manifest.fallbackMode || !manifest.shadowAvailable) return judgeOnHost(shadows, manifest, options, watching);
  const record = manifest.shadowId === null ? null : await shadows.records.load(manifest.shadowId);
  if (record === null || record.sandbox === null) {
    throw new HandlerFailure(
      'DEPENDENCY_MISSING',
      `the shadow ${manifest.shadowId ?? ''} is gone; test again with: baton shadow test`,
    );
  }
  const strange = manifest.localSources.find(
    ({ repository, snapshotCommit }) =>
      !record.sources.some((own) => own.repository === repository && own.commit === snapshotCommit),
  );
  if (strange !== undefined) {
    throw new HandlerFailure(
      'SCHEMA_VALIDATION_FAILED',
      `${strange.repository} at ${strange.snapshotCommit ?? 'no commit'} is no source of ${record.id}`,
    );
  }
  return judgeShadow(shadows, manifest, record, watching);
}

async function judgeOnHost(
  shadows: ShadowContext,
  manifest: ShadowManifest,
  options: WorkerOptions,
  watching: TestProgress,
): Promise<ShadowVerdict> {
  const code = manifest.failureReason;
  if (options.hostOnly === 'refused') {
    const why = code === null ? 'there is no shadow' : `there is no shadow (${code}): ${SHADOW_ERRORS[code].says}`;
    const todo = code === null ? 'create a shadow' : SHADOW_ERRORS[code].todo;
    const environment = { ...NO_SANDBOX, warnings: [], failureReason: code };
    return incompleteVerdict(`${why}; a host-only judgement is not allowed here`, todo, environment);
  }
  for (const { path } of manifest.localSources) {
    if (await options.mayRead(path)) continue;
    throw new HandlerFailure('SCHEMA_VALIDATION_FAILED', `${path} lies outside of what this workspace may read`);
  }
  return judgeHost(shadows, manifest, { execution: options.hostExecution }, watching);
}

/** As a value, or as the YAML text that the specification puts into an instruction. */
function manifestIn(input: Json): ShadowManifest {
  const read = typeof input === 'string' ? readManifestText(fencedIn(input)) : readManifest(input);
  if (read.ok) return read.value;
  const problems = read.refusal.map(({ field, says }) => (field === '' ? says : `${field}: ${says}`)).join('; ');
  throw new HandlerFailure('SCHEMA_VALIDATION_FAILED', `the manifest is not as specified: ${problems}`);
}

function fencedIn(text: string): string {
  return /```ya?ml\r?\n([\s\S]*?)```/.exec(text)?.[1] ?? text;
}
