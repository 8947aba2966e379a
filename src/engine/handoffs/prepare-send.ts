/** Prepares a send: id, body, lineage and artifacts of the new handoff, and all checks before the insert. */
import { defined } from '../../foundation/defined.ts';
import { newUuid } from '../../foundation/ids.ts';
import { JSON_BYTES_MAX, JSON_NODES_MAX, writeJson, type JsonProblem, type JsonText } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Body, Party } from '../../domain/body.ts';
import { endedUnsuccessfully } from '../../domain/dependencies.ts';
import { blankHandoff, NO_LINEAGE, type Lineage } from '../../domain/handoff.ts';
import { childLineage } from '../../domain/lineage.ts';
import type { AgentId, ArtifactId, HandoffId } from '../../domain/names.ts';
import { principalText, type Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { isHidden, may } from '../../domain/rights.ts';
import { DEFAULT_TERMS } from '../../domain/default-terms.ts';
import { lacksArtifact, referencesIn } from '../artifacts/awaited-artifacts.ts';
import { withContextFiles } from '../artifacts/context-files.ts';
import type { SchemaRefusal } from '../schema-registry.ts';
import type { WorkspaceRules, Context } from '../context.ts';
import { chainRefusal } from './chain-budget.ts';
import { effectiveHandoffs } from './dependencies.ts';
import { handoffFor } from './find.ts';
import type { SendRefusal, SendRequest } from './send.ts';

export interface PreparedHandoff {
  readonly id: HandoffId;
  readonly request: SendRequest;
  readonly body: JsonText;
  readonly lineage: Lineage;
  readonly artifacts: readonly ArtifactId[];
  /** At the time of the check. Every sweep checks missing artifacts again. */
  readonly lacksArtifact: boolean;
}

/** Awaits only what a request needs: nearly every send has no schema, no task and no artifacts. */
export async function prepare(
  ctx: Context,
  principal: Principal,
  asked: SendRequest,
  taken: ReadonlySet<HandoffId>,
): Promise<Result<PreparedHandoff, SendRefusal>> {
  const { rules } = ctx;
  // Checked before any file is read: only a principal that may send causes contexts, schemas, tasks and artifacts to be read.
  const newId = newHandoffId(ctx);
  const entitled = mayCreate(principal, asked, newId);
  if (!entitled.ok) return entitled;
  // A request that is stored as failed is stored unchanged.
  const isKept = asked.failure !== undefined || rules.artifacts === null || asked.context === undefined;
  const read = isKept ? ok(asked) : await withContextFiles(rules.artifacts, asked);
  if (!read.ok) return read;
  const request = read.value;
  const body = writeBody(rules, request);
  if (!body.ok) return err({ code: 'not-json', problem: body.refusal });
  const schema = request.schema ?? rules.schemasOf(request.to).input;
  const refusal = request.failure === undefined && schema !== null ? await schemaRefusal(ctx, request, schema) : null;
  if (refusal !== null) return err(refusal);
  const isChecked =
    request.failure === undefined && rules.registered !== null && rules.registered.of(request.to) !== null;
  const follows = isChecked ? await rules.registered.check(request.to, 'input', request.input) : ok(true);
  if (!follows.ok) return follows;
  const artifacts = isKept ? ok([]) : referencesIn(request.context);
  if (!artifacts.ok) return artifacts;
  const lineage =
    request.parent === undefined ? ok(request.lineage ?? NO_LINEAGE) : await legFrom(ctx, principal, request.parent);
  if (!lineage.ok) return lineage;
  const over = lineage.value.root === null ? null : await chainRefusal(ctx, principal, lineage.value);
  if (over !== null) return err(over);
  const hidden = await hiddenDependency(ctx, principal, request);
  if (hidden !== null) return err({ code: 'no-such-handoff', id: hidden });
  const useless = request.knownDependencies === true ? await uselessDependency(ctx, principal, request, taken) : null;
  if (useless !== null) return err(useless);
  if (request.kind === 'document' && !(await hasTask(ctx, request)))
    return err({ code: 'no-such-task', task: request.task ?? null });
  const { id, from, to, task = null } = request;
  const documents = request.kind === 'document' ? rules.documents : null;
  return ok({
    id: id ?? (documents === null ? newId : await documents.idFor({ from, to, task }, taken)),
    request,
    body: body.value,
    lineage: lineage.value,
    artifacts: artifacts.value,
    lacksArtifact: artifacts.value.length > 0 && (await lacksArtifact(ctx, artifacts.value)),
  });
}

export function newHandoffId({ store, random }: Context): HandoffId {
  return `hoff-${newUuid(store.nowMs(), random)}` as HandoffId;
}

/** Where the workspace requires it, a document belongs to a task that has a file. */
async function hasTask({ rules }: Context, { task }: SendRequest): Promise<boolean> {
  if (rules.tasks === null || !rules.tasks.isRequired) return true;
  return task !== undefined && rules.tasks.has(task);
}

export async function schemaRefusal(
  { rules }: Context,
  { input }: Pick<SendRequest, 'input'>,
  schema: string,
): Promise<SchemaRefusal | null> {
  if (rules.schemas === null) return null;
  const checked = await rules.schemas.check(schema, input);
  return checked.ok ? null : checked.refusal;
}

/** The decision asks again, over the whole record. */
function mayCreate(
  principal: Principal,
  { id, kind = 'queue', from, to }: SendRequest,
  newId: HandoffId,
): Result<true, Refusal> {
  const draft = blankHandoff();
  draft.id = id ?? newId;
  draft.kind = kind;
  draft.from = from;
  draft.to = to;
  draft.terms = DEFAULT_TERMS[kind];
  return may(principal, 'create', draft);
}

/** Parties of one leg can read the whole chain, so only a party may add a leg. */
async function legFrom(ctx: Context, principal: Principal, id: HandoffId): Promise<Result<Lineage, Refusal>> {
  const parent = await handoffFor(ctx, principal, 'follow', id);
  return parent.ok ? childLineage(parent.value) : parent;
}

/**
 * A dependency reveals when a handoff is completed, so it needs the right to read it. An id that does not exist yet may be
 * named; a retry keeps the dependencies of the first handoff.
 */
async function hiddenDependency(
  { store }: Context,
  principal: Principal,
  { terms, lineage }: SendRequest,
): Promise<HandoffId | null> {
  const ids = terms?.dependsOn ?? [];
  if (ids.length === 0 || lineage !== undefined || principal.kind !== 'agent') return null;
  const { items } = await store.find({ by: 'ids', ids });
  return items.find((handoff) => isHidden(principal, handoff))?.id ?? null;
}

/** A dependency that can never be met. Handoffs of the same call do not exist yet. */
async function uselessDependency(
  ctx: Context,
  principal: Principal,
  { terms, requestId }: SendRequest,
  taken: ReadonlySet<HandoffId>,
): Promise<Refusal | null> {
  const ids = (terms?.dependsOn ?? []).filter((id) => !taken.has(id));
  // A repeated request gets its first answer, whatever the state of its dependencies.
  if (requestId !== undefined && (await isAnswered(ctx, principal, requestId))) return null;
  const effective = await effectiveHandoffs(ctx, ids);
  for (const id of ids) {
    const counts = effective.get(id);
    if (counts === undefined) return { code: 'dependency-unknown', id };
    const isEnded = endedUnsuccessfully(counts.state) && terms?.onDependencyFailure !== 'run';
    if (isEnded) return { code: 'dependency-failed', id: counts.id, state: counts.state };
  }
  return null;
}

async function isAnswered({ store }: Context, principal: Principal, key: string): Promise<boolean> {
  const { items } = await store.find({ by: 'request', request: { by: principalText(principal), key } });
  return items.length > 0;
}

function writeBody(rules: WorkspaceRules, request: SendRequest): Result<JsonText, JsonProblem> {
  const { input, schema, context, outputSchema, message, leg, warnings } = request;
  const [source, target] = [partyOf(rules, request.from), partyOf(rules, request.to)];
  const body: Body = defined({ input, schema, context, outputSchema, message, source, target, leg, warnings });
  return message === undefined ? writeJson(body) : writeJson(body, WITH_MESSAGE);
}

/** For the escaped text of a file and the values that were read from it. */
const WITH_MESSAGE = { bytesMax: 3 * JSON_BYTES_MAX, nodesMax: JSON_NODES_MAX };

/** Undefined: the agent is not configured. */
function partyOf(rules: WorkspaceRules, agent: AgentId): Party | undefined {
  const party = rules.partyOf(agent);
  return party.phase === undefined && party.agentType === undefined ? undefined : party;
}
