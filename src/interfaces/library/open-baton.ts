/** The implementation of the library: it reads names, turns refusals into errors, and calls the engine. */
import { defined } from '../../foundation/defined.ts';
import { messageOf } from '../../foundation/error-message.ts';
import { parseExact } from '../../foundation/exact-json.ts';
import { basename } from 'node:path';
import type { Json } from '../../foundation/json.ts';
import type { Result } from '../../foundation/result.ts';
import { StoreFault } from '../../foundation/store-fault.ts';
import { inputIn, type Body } from '../../domain/body.ts';
import type { AgentId } from '../../domain/names.ts';
import { agentPrincipal, OPERATOR, principalText, tokenIn, type Principal } from '../../domain/principal.ts';
import { runDuty } from '../../engine/duty.ts';
import { HandlerFailure } from '../../engine/attempt.ts';
import type { Handler } from '../../engine/work.ts';
import { sendMany } from '../../engine/handoffs/send.ts';
import { sendWithChildren } from '../../engine/handoffs/send-with-children.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { workWithToken } from '../../engine/work-with-token.ts';
import { waitingEntry, withoutKey } from '../shared/inbox-entries.ts';
import { pauseView, prunedView, scheduleView, undeliveredView } from '../shared/record-views.ts';
import { carriedView, factView, handoffView, statusView, wholeView, type HandoffView } from '../shared/views.ts';
import { factsIn, refusalText } from '../shared/refusal-text.ts';
import type { Fields, InputOf } from '../../operations/field.ts';
import { OPERATIONS } from '../../operations/index.ts';
import {
  readFor,
  runFor,
  type Operation,
  type OperationRefusal,
  type ResultName,
  type Results,
} from '../../operations/operation.ts';
import { AS_LIBRARY, issuesText } from '../../operations/reading.ts';
import { sendRequestOf } from '../../operations/send.ts';
import { entryOf } from '../../formats/artifact/card.ts';
import type { BlockAnswer } from '../../engine/handoffs/ingest-text.ts';
import { ingestRefusalText } from '../shared/ingest-refusal-text.ts';
import { reportView, workflowView } from '../shared/report/view.ts';
import type { Baton, OpenBatonOptions, SendOptions, WorkHandler, Worker, WorkerOptions } from './baton.ts';
import type { Methods } from './methods.ts';
import type { CallOptions, IngestAnswer, SentHandoff, TypedHandoff } from './results.ts';
import { agent as agentNamed, type TypedAgent } from './agent.ts';
import { schemaOf } from './schema-by-name.ts';
import { sentHandoff } from './sent-handoff.ts';
import { jsonSchemaOf } from './json-schema-of.ts';
import { checked, violationsText, type SchemaViolation, type StandardSchema } from './standard-schema.ts';
import { BatonRefusal, BatonTimeout, HandoffNotCompleted } from './errors.ts';
import { agentIn, within } from './requests.ts';
import { feedOf } from './feed.ts';
import { identify, type Scope } from '../../workspace/identity.ts';
import { withSigner } from '../../workspace/signing-key.ts';
import type { OpenWorkspace } from '../../workspace/opened-workspace.ts';

/** `app/` passes `open` in. */
export async function openBatonWith(
  open: () => Promise<OpenWorkspace | null>,
  options: Pick<OpenBatonOptions, 'as' | 'token' | 'onEvent'>,
): Promise<Baton> {
  const app = await open().catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'ConfigurationProblem') throw error;
    throw new BatonRefusal('configuration', error.message);
  });
  if (app === null) {
    throw new BatonRefusal('no-workspace', 'there is no baton.yaml here; make a workspace with: baton init');
  }
  if (app.policy.says !== null) process.emitWarning(app.policy.says, 'BatonPolicyWarning');
  return batonIn(app, options);
}

const CONCURRENCY_MAX = 10_000;

/** Acts of the operator need `as: 'operator'` or a token. */
function requireExplicitOperator(principal: Principal, said: string | undefined, what: string): void {
  if (principal.kind !== 'operator' || tokenIn(principal) !== null || said === 'operator') return;
  throw new BatonRefusal('say-who', `to ${what}, say who you are: as: '@agent', or as: 'operator'`);
}

function batonIn(app: OpenWorkspace, opened: Pick<OpenBatonOptions, 'as' | 'token' | 'onEvent'>): Baton {
  const { ctx } = app;
  // An empty variable counts as not set.
  const token = (opened.token ?? process.env['BATON_TOKEN'] ?? '') || null;
  const workers = new Set<Worker>();
  const closing = new AbortController();
  let duty: Promise<void> | null = null;
  /** A process that works or waits stands by for the duty: there may be no other one that notices a dead worker. */
  const standBy = (): void => {
    duty ??= runDuty(ctx, closing.signal);
  };

  const asking = async (
    as: string | undefined,
    defaultPrincipal?: Principal,
    scope: Scope = 'write',
  ): Promise<Principal> => {
    const named = as ?? opened.as;
    const known = await identify(
      ctx,
      app.configuration.identity,
      {
        as: named === undefined ? null : named === 'operator' ? OPERATOR : agentPrincipal(agentIn(named, 'as')),
        token,
        defaultPrincipal: defaultPrincipal ?? OPERATOR,
      },
      scope,
    );
    const signing = known.ok && scope === 'write' ? withSigner(ctx.rules, known.value) : known;
    if (signing.ok) return signing.value;
    throw new BatonRefusal(signing.refusal.code, signing.refusal.says);
  };

  /** In a strict workspace, saying `as: 'operator'` does not prove the operator. */
  const mustBeProven = (): void => {
    if (token !== null || app.configuration.identity !== 'strict') return;
    throw new BatonRefusal('token-needed', "this is the operator's business: open with an operator's token");
  };
  const project = app.configuration.project ?? (app.workspace === null ? 'default' : basename(app.workspace.folder));

  const methodOf = ([name, operation]: readonly [string, Operation]): readonly [string, unknown] => {
    const call = async ({ as, signal, ...given }: CallOptions = {}): Promise<unknown> => {
      const input = readOr(operation, given);
      const agent = operation.defaultCaller?.(input);
      const defaultPrincipal = agent === undefined ? undefined : agentPrincipal(agent);
      const scope = operation.writes?.(input) === true ? 'write' : operation.scope;
      const principal = await asking(as, defaultPrincipal, scope);
      if (operation.explicitAs !== undefined) requireExplicitOperator(principal, as ?? opened.as, operation.explicitAs);
      if (operation.permission === 'operator') mustBeProven();
      const answer = await runFor(operation, ctx, principal, input, {
        project,
        ...(signal === undefined ? {} : { signal }),
      });
      const view = (VIEWS[operation.result] as (value: unknown) => unknown)(granted(answer));
      return operation.result === 'created' ? sentHandoff(view as HandoffView, baton) : view;
    };
    const { subject } = operation;
    if (subject === undefined) return [name, call];
    return [name, (about: unknown, options: CallOptions = {}) => call({ ...options, [subject]: about })];
  };

  const schemasOf = async <Input, Output>({
    input,
    output,
  }: Omit<TypedAgent<Input, Output>, 'name'>): Promise<ResolvedSchemas<Input, Output>> => ({
    input: await schemaOf(ctx.rules.schemas, input),
    output: await schemaOf(ctx.rules.schemas, output),
  });

  const startWorker = <Input, Output>(
    described: string | TypedAgent<Input, Output>,
    handler: WorkHandler<Input, Output>,
    given: WorkerOptions<Input, Output> = {},
  ): Worker => {
    const { name, ...named } = typeof described === 'string' ? agentNamed<Input, Output>(described) : described;
    const agent = agentIn(name, 'agent');
    const concurrency = within(given.concurrency ?? 1, 'concurrency', 1, CONCURRENCY_MAX);
    const stop = new AbortController();
    const abort = new AbortController();
    if (given.signal?.aborted === true) stop.abort();
    given.signal?.addEventListener('abort', () => stop.abort(), { once: true });
    standBy();
    const run = async (): Promise<{ readonly attempts: number; readonly refused: number }> => {
      const principal = await asking(undefined, agentPrincipal(agent));
      const schemas = await schemasOf(named);
      if (typeof described !== 'string') await registerSchemasOf(ctx, principal, agent, schemas);
      const options = { ...defined({ inputSchema: schemas.input, outputSchema: schemas.output }), ...given };
      const { tokenEnd, ...ended } = await workWithToken(ctx, {
        agent,
        principal,
        handler: handlerOf(handler, options),
        concurrency,
        stop: stop.signal,
        abort: abort.signal,
      });
      if (tokenEnd !== null) throw new BatonRefusal('token-refused', `${tokenEnd}: this worker has stopped`);
      return ended;
    };
    const done = run();
    const worker: Worker = {
      done,
      stop: async ({ now = false } = {}) => {
        stop.abort();
        if (now) abort.abort();
        await done;
      },
    };
    workers.add(worker);
    // A caller of `done` gets the error. Without one, a warning is printed and the process continues.
    void done
      .catch((error: unknown) => {
        const says = messageOf(error);
        opened.onEvent?.({ kind: 'worker-ended', agent: `@${agent}`, says });
        process.emitWarning(`the worker of @${agent} has ended: ${says}`, 'BatonWorkerWarning');
      })
      .finally(() => workers.delete(worker));
    return worker;
  };

  const operated = Object.fromEntries(Object.entries(OPERATIONS).map(methodOf)) as unknown as Methods;
  const sendOne = async <Input, Output>(
    { inputSchema, input, ...request }: SendOptions<Input> & { readonly inputSchema?: StandardSchema<Input> },
    output?: StandardSchema<Output>,
  ): Promise<SentHandoff<Output>> => {
    const checkedInput = inputSchema === undefined ? input : await requireSchema(inputSchema, input, 'input');
    // The engine refuses values that are no JSON.
    const given = checkedInput === undefined ? {} : { input: checkedInput as Json };
    const sent = await operated.send({ ...request, ...given });
    return output === undefined ? (sent as SentHandoff<Output>) : sentHandoff(sent, baton, output);
  };
  const baton: Baton = {
    ...operated,
    send: async <Input, Output>(
      first: TypedAgent<Input, Output> | (SendOptions<Input> & { readonly inputSchema?: StandardSchema<Input> }),
      request?: Omit<SendOptions<Input>, 'to'>,
    ): Promise<SentHandoff<Output>> => {
      if (request === undefined) return sendOne(first as SendOptions<Input>);
      const { name, ...schemas } = first as TypedAgent<Input, Output>;
      const { input, output } = await schemasOf(schemas);
      return sendOne({ ...request, to: name, ...(input === undefined ? {} : { inputSchema: input }) }, output);
    },
    sendMany: async (
      requests: readonly Partial<SendOptions<unknown>>[],
      shared: Partial<SendOptions<unknown>> = {},
    ) => {
      const inputs = requests.map((request) => readOr(OPERATIONS.send, { ...shared, ...request }));
      const [first] = inputs;
      if (first === undefined) return [];
      const principal = await asking(undefined, agentPrincipal(first.from));
      const asked = inputs.map((input) => sendRequestOf(ctx, input));
      const sent = granted(await sendMany(ctx, principal, asked));
      return sent.map((handoff) => sentHandoff(handoffView(handoff), baton));
    },
    sendWithChildren: async <Output>(
      asked: SendOptions<unknown>,
      wanted: readonly Partial<SendOptions<unknown>>[],
    ): Promise<{ readonly parent: SentHandoff<Output>; readonly children: readonly SentHandoff[] }> => {
      // The children get new ids, so a repeated request could not be the same.
      if (asked.requestId !== undefined) throw new BatonRefusal('bad-request', 'sendWithChildren takes no requestId');
      const own = readOr(OPERATIONS.send, asked);
      const requests = wanted.map((each) => sendRequestOf(ctx, readOr(OPERATIONS.send, { from: own.from, ...each })));
      const principal = await asking(undefined, agentPrincipal(own.from));
      const sent = granted(await sendWithChildren(ctx, principal, sendRequestOf(ctx, own), requests));
      const children = sent.slice(0, -1).map((handoff) => sentHandoff(handoffView(handoff), baton));
      return { parent: sentHandoff<Output>(handoffView(sent.at(-1) as Handoff), baton), children };
    },
    work: startWorker,
    wait: async (id, { resultSchema, ...options } = {}) => {
      standBy();
      const view = await operated.wait(id, options).catch(asTimeout);
      if (view.state !== 'completed') throw new HandoffNotCompleted(view);
      if (resultSchema === undefined) return view as TypedHandoff<Json, never>;
      return { ...view, result: await requireSchema(resultSchema, view.result ?? null, 'result') };
    },
    load: async (id) => {
      const shown = await operated.show(id).catch(nullIfUnknown);
      if (shown === null) return null;
      const { facts, ...whole } = shown;
      void facts;
      return whole;
    },
    find: (filter = {}) => operated.list(filter),
    feed: (options = {}) => feedOf(ctx, () => asking(undefined, undefined, 'read'), options),
    artifact: (id) => operated.showArtifact(id).catch(nullIfUnknown),

    close: async () => {
      await Promise.allSettled([...workers].map((worker) => worker.stop()));
      closing.abort();
      await duty;
      await app.close();
    },
    [Symbol.asyncDispose]: () => baton.close(),
  };
  return baton;
}

/** Schemas that were given by name, read from the workspace. */
interface ResolvedSchemas<Input, Output> {
  readonly input: StandardSchema<Input> | undefined;
  readonly output: StandardSchema<Output> | undefined;
}

/** Registers the schemas, so that senders in other programs are checked too. */
async function registerSchemasOf(
  { rules, report }: OpenWorkspace['ctx'],
  principal: Principal,
  agent: AgentId,
  { input, output }: ResolvedSchemas<unknown, unknown>,
): Promise<void> {
  // Only the agent itself and the operator may register its schemas.
  if (principal.kind !== 'operator' && !(principal.kind === 'agent' && principal.agent === agent)) return;
  const [takes, answers] = [
    input === undefined ? undefined : jsonSchemaOf(input, 'input'),
    output === undefined ? undefined : jsonSchemaOf(output, 'output'),
  ];
  const notSaid = [...(takes === null ? ['input'] : []), ...(answers === null ? ['output'] : [])];
  if (notSaid.length > 0) {
    const says = `its validator cannot tell the ${notSaid.join(' and ')} schema as JSON Schema; only this program checks it`;
    report({ kind: 'schema-not-registered', agent: `@${agent}`, says });
  }
  const pair = defined({ input: takes ?? undefined, output: answers ?? undefined });
  try {
    const why = (await rules.registered?.register(agent, pair, principalText(principal))) ?? null;
    if (why !== null) report({ kind: 'schema-not-registered', agent: `@${agent}`, says: why });
  } catch (error) {
    // The worker continues without the registration, because it checks its input itself.
    if (!(error instanceof StoreFault)) throw error;
    report({ kind: 'schema-not-registered', agent: `@${agent}`, says: error.message });
  }
}

function handlerOf<Input, Output>(
  handler: WorkHandler<Input, Output>,
  { inputSchema, outputSchema }: WorkerOptions<Input, Output>,
): Handler {
  return async ({ handoff, body }, attempt): Promise<Json> => {
    const carried = parseExact(body) as Body;
    const view = carriedView(handoff, carried);
    const given = inputSchema === undefined ? view : { ...view, input: await checkedWorkInput(inputSchema, carried) };
    const output = await handler(given as typeof given & { readonly input: Input }, {
      // Made on demand: most handlers never use it, and a signal costs as much as writing a fact.
      get signal() {
        return attempt.signal;
      },
      progress: attempt.progress,
      evidence: attempt.evidence,
    });
    return (
      outputSchema === undefined ? output : await requireSchema(outputSchema, output, 'result', failsAttempt)
    ) as Json;
  };
}

/** The schema describes the input of the sender. Results of dependencies are added after the check. */
async function checkedWorkInput(schema: StandardSchema<unknown>, { input, dependencies }: Body): Promise<Json> {
  const fitting = (await requireSchema(schema, input, 'input', failsAttempt)) as Json;
  return inputIn(dependencies === undefined ? { input: fitting } : { input: fitting, dependencies });
}

async function requireSchema<Value>(
  schema: StandardSchema<Value>,
  value: unknown,
  what: string,
  problem = (text: string, violations: readonly SchemaViolation[]): Error =>
    new BatonRefusal('schema-violated', text, { violations }),
): Promise<Value> {
  const found = await checked(schema, value);
  if ('value' in found) return found.value;
  throw problem(violationsText(what, found.violations), found.violations);
}

const failsAttempt = (text: string): Error => new HandlerFailure('VALIDATION_FAILED', text);

const VIEWS: { readonly [Name in ResultName]: (value: Results[Name]) => unknown } = {
  handoff: handoffView,
  created: handoffView,
  claimed: (claimed) => (claimed === null ? null : wholeView({ ...claimed, outcome: null })),
  page: ({ items, next, cursor }) => ({ items: items.map(handoffView), next, cursor }),
  shown: ({ facts, ...whole }) => ({ ...wholeView(whole), facts: facts.map(factView) }),
  facts: (facts) => facts.map(factView),
  chain: (chain) => chain.map(handoffView),
  settled: wholeView,
  status: statusView,
  inbox: ({ entries, waiting }) => [...entries.map(withoutKey), ...waiting.map(waitingEntry)],
  ingested: (blocks) => blocks.map(blockView),
  workflows: (flows) => flows.map(workflowView),
  report: reportView,
  schedule: scheduleView,
  schedules: (all) => all.map(scheduleView),
  pause: pauseView,
  pauses: (all) => all.map(pauseView),
  undelivered: (all) => all.map(undeliveredView),
  resent: (key) => ({ key }),
  artifacts: (cards) => cards.map(entryOf),
  artifact: ({ card, file, changed, dependents }) => ({
    ...entryOf(card),
    content: typeof file === 'object' && file !== null && 'content' in file ? (file['content'] ?? null) : null,
    changed,
    dependents,
  }),
  registered: entryOf,
  cleaned: (cleaned) => cleaned,
  pruned: prunedView,
};

function blockView({ refusal, ...answer }: BlockAnswer): IngestAnswer {
  if (refusal === undefined) return answer;
  return { ...answer, refusal: { code: refusal.code, message: ingestRefusalText(refusal) } };
}

function asTimeout(error: unknown): never {
  if (!(error instanceof BatonRefusal) || error.code !== 'timed-out') throw error;
  const { id, afterMs } = error.details;
  throw new BatonTimeout(`${String(id)} was not settled within ${Math.round(Number(afterMs))} ms`);
}

function nullIfUnknown(error: unknown): null {
  if (error instanceof BatonRefusal && ['no-such-handoff', 'no-such-artifact'].includes(error.code)) return null;
  throw error;
}

function readOr<F extends Fields>(operation: Operation<F>, given: unknown): InputOf<F> {
  const read = readFor(operation, given, AS_LIBRARY);
  if (read.ok) return read.value;
  throw new BatonRefusal('bad-request', issuesText(read.refusal), { issues: read.refusal });
}

function granted<Value>(answer: Result<Value, OperationRefusal>): Value {
  if (answer.ok) return answer.value;
  const { refusal } = answer;
  throw new BatonRefusal(refusal.code, refusalText(refusal), factsIn(refusal));
}
