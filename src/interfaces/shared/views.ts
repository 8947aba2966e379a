/** The view of a handoff for `--json`, a worker's standard input, HTTP, MCP and the library. */
import { parseExact } from '../../foundation/exact-json.ts';
import type { Json, JsonObject } from '../../foundation/json.ts';
import { ASSURANCES, assuranceOf, proofOf, proofText, type Assurance } from '../../domain/assurance.ts';
import { heldUntilOf } from '../../domain/deadlines.ts';
import type { FactType } from '../../domain/fact-types.ts';
import { FACT, type Fact } from '../../domain/facts.ts';
import { contextIn, inputIn, type Body } from '../../domain/body.ts';
import { CLAIMS, type Claim } from '../../domain/evidence.ts';
import { BLOCKED_ON, HANDOFF, type BlockedOn, type Failure, type Handoff, type Kind } from '../../domain/handoff.ts';
import type { State } from '../../domain/lifecycle.ts';
import type { Priority } from '../../domain/priority.ts';
import { FAILURE_FIELDS, type Outcome } from '../../domain/outcome.ts';
import type { Described, DescribedFields } from '../../domain/field-shapes.ts';
import type { Attention, Status } from '../../engine/handoffs/status.ts';
import { warningsFor } from '../../engine/secrets/warnings.ts';
import type { StoredHandoff } from '../../stores/store.ts';

export type HandoffView = {
  readonly id: string;
  readonly state: State;
  /** Names of agents begin with `@`. */
  readonly from: string;
  readonly to: string;
  readonly kind: Kind;
  readonly priority: Priority;
  readonly title: string | null;
  readonly task: string | null;
  /** Grows by one with each fact. */
  readonly revision: number;
  readonly attempt: number;
  /** The number of the newest acceptance. A holder sends it to settle the handoff. */
  readonly fence: number;
  readonly createdAt: string;
  /** When the present state was entered. */
  readonly since: string;
  readonly notBefore?: string;
  readonly root?: string;
  readonly parent?: string;
  readonly retryOf?: string;
  readonly heldBy?: string;
  /** The holder has to settle the handoff before this time. */
  readonly until?: string;
  readonly blockedOn?: BlockedOn;
  readonly dependsOn?: readonly string[];
  /** Artifacts that must be registered first. */
  readonly needsArtifacts?: readonly string[];
  readonly deliverables?: readonly string[];
  readonly criteria?: readonly string[];
  readonly verifiers?: readonly string[];
  /** The evidence of the doer for the deliverables. */
  readonly claims?: readonly Claim[];
  /** The command that the sender has fixed as evidence. */
  readonly check?: string;
  /** The agent that gets a new handoff (a dead letter) when this one fails for good, is rejected or expires. */
  readonly onFailed?: string;
  /** How far the completion is proven; only of completed handoffs. */
  readonly assurance?: Assurance;
  /** From which export it was imported. */
  readonly imported?: string;
  /** Warnings about this change; only in the response to it. */
  readonly warnings?: readonly string[];
};

export type WholeView = HandoffView & {
  readonly input: Json;
  readonly schema?: string;
  readonly context?: JsonObject;
  readonly result?: Json;
  readonly failure?: Failure;
};

/** Something that has happened to a handoff. */
export interface FactView {
  readonly handoff: string;
  readonly revision: number;
  readonly at: string;
  readonly by: string;
  /** How the principal was established, such as `token tok-0123` or `local`. */
  readonly proof: string;
  readonly deed: FactType;
  /** The state before; null: there was none. */
  readonly stateBefore: State | null;
  /** The state after. */
  readonly state: State;
  /** @deprecated Say `stateBefore`: everywhere else `from` is an agent. */
  readonly from: State | null;
  /** @deprecated Say `state`: everywhere else `to` is an agent. */
  readonly to: State;
  readonly attempt: number;
  readonly fence: number;
  readonly detail?: Json;
  /** Over this fact and the one before it. */
  readonly hash: string;
}

/** The shape and the value of each field of a view. A value of undefined is left out. */
export type ViewField<View, Of> = {
  readonly [Name in keyof View]-?: {
    readonly shape: Described;
    of(from: Of): View[Name] | undefined;
  };
};

function same<Name extends keyof Handoff>(name: Name): { shape: Described; of(handoff: Handoff): Handoff[Name] } {
  return { shape: HANDOFF[name].shape, of: (handoff) => handoff[name] };
}

const AGENT: Described = { type: 'agent' };
const INSTANT: Described = { type: 'instant' };
const ID: Described = { type: 'handoff-id', optional: true };
const TEXTS: Described = { type: 'list', of: { type: 'text' }, optional: true };

/** Empty lists are left out. */
const omitEmpty = <Item>(list: readonly Item[]): readonly Item[] | undefined => (list.length === 0 ? undefined : list);

export const HANDOFF_VIEW: ViewField<HandoffView, Handoff> = {
  id: same('id'),
  state: same('state'),
  from: { shape: AGENT, of: ({ from }) => `@${from}` },
  to: { shape: AGENT, of: ({ to }) => `@${to}` },
  kind: same('kind'),
  priority: same('priority'),
  title: same('title'),
  task: same('task'),
  revision: {
    shape: { type: 'count', about: 'Grows by one with each fact; it is the ETag.' },
    of: ({ revision }) => revision,
  },
  attempt: same('attempt'),
  fence: {
    shape: { type: 'count', about: 'The number of the newest acceptance. A holder sends it to settle the handoff.' },
    of: ({ fence }) => fence,
  },
  createdAt: { shape: INSTANT, of: ({ createdAt }) => instant(createdAt) },
  since: { shape: { ...INSTANT, about: 'When the present state was entered.' }, of: ({ since }) => instant(since) },
  notBefore: {
    shape: { ...INSTANT, optional: true },
    of: ({ notBefore }) => (notBefore > 0 ? instant(notBefore) : undefined),
  },
  root: { shape: ID, of: ({ lineage }) => lineage.root ?? undefined },
  parent: { shape: ID, of: ({ lineage }) => lineage.parent ?? undefined },
  retryOf: { shape: ID, of: ({ lineage }) => lineage.retryOf ?? undefined },
  heldBy: {
    shape: { ...AGENT, optional: true },
    of: ({ custody }) => (custody === null ? undefined : `@${custody.holder}`),
  },
  until: {
    shape: { ...INSTANT, optional: true, about: 'The holder has to settle the handoff before this time.' },
    of: (handoff) => {
      const until = heldUntilOf(handoff);
      return until === null ? undefined : instant(until);
    },
  },
  blockedOn: { shape: { ...(BLOCKED_ON as Described), optional: true }, of: ({ blockedOn }) => blockedOn ?? undefined },
  dependsOn: { shape: TEXTS, of: ({ terms }) => omitEmpty(terms.dependsOn) },
  needsArtifacts: {
    shape: { ...TEXTS, about: 'Artifacts that must be registered first.' },
    of: ({ terms }) => terms.artifacts,
  },
  deliverables: { shape: TEXTS, of: ({ terms }) => omitEmpty(terms.deliverables) },
  criteria: { shape: TEXTS, of: ({ terms }) => omitEmpty(terms.criteria) },
  verifiers: {
    shape: { type: 'list', of: AGENT, optional: true },
    of: ({ terms }) => omitEmpty(terms.verifiers)?.map((agent) => `@${agent}`),
  },
  claims: {
    shape: { ...(CLAIMS as Described), optional: true, about: 'The evidence of the doer for the deliverables.' },
    of: ({ claims }) => omitEmpty(claims),
  },
  check: {
    shape: { type: 'text', optional: true, about: 'The command that the sender has fixed as evidence.' },
    of: ({ terms }) => terms.check,
  },
  onFailed: {
    shape: {
      ...AGENT,
      optional: true,
      about: 'The agent that gets a new handoff (a dead letter) when this one fails, is rejected or expires.',
    },
    of: ({ terms }) => (terms.onFailed === undefined ? undefined : `@${terms.onFailed}`),
  },
  assurance: {
    shape: {
      type: 'one-of',
      values: ASSURANCES,
      optional: true,
      about: 'How far the completion is proven; only of completed handoffs.',
    },
    of: (handoff) => assuranceOf(handoff) ?? undefined,
  },
  imported: {
    shape: { type: 'text', optional: true, about: 'From which export it was imported.' },
    of: ({ lineage }) => lineage.imported,
  },
  warnings: {
    shape: {
      ...TEXTS,
      about: 'Warnings about this change, such as a text that looks like a secret; only in the response to it.',
    },
    of: (handoff) => omitEmpty(warningsFor(handoff)),
  },
};

export const handoffView = viewerOf(HANDOFF_VIEW);

/** The status of the workspace. */
export interface StatusView {
  readonly attention: readonly { readonly why: Attention['why']; readonly handoff: HandoffView }[];
  readonly atWork: readonly HandoffView[];
  readonly waiting: readonly {
    readonly agent: string;
    readonly offered: number;
    readonly blocked: number;
    readonly oldestAt: string;
    readonly workers: number;
  }[];
  /** How many are in each open state. */
  readonly open: Readonly<Partial<Record<State, number>>>;
  /** False if more handoffs are open than were read. */
  readonly isWhole: boolean;
}

export function statusView({ attention, atWork, waiting, open, isWhole }: Status): StatusView {
  return {
    attention: attention.map(({ why, handoff }) => ({ why, handoff: handoffView(handoff) })),
    atWork: atWork.map(handoffView),
    waiting: waiting.map(({ agent, oldestAt, ...counts }) => ({
      agent: `@${agent}`,
      ...counts,
      oldestAt: new Date(oldestAt).toISOString(),
    })),
    open,
    isWhole,
  };
}

/** The view of a fact. */
export const FACT_VIEW: ViewField<FactView, Fact> = {
  ...sameFact('handoff', 'revision'),
  at: { shape: INSTANT, of: ({ at }) => instant(at) },
  ...sameFact('by'),
  proof: {
    shape: { type: 'text', about: 'How the principal was established.' },
    of: (fact) => proofText(proofOf(fact)),
  },
  ...sameFact('deed'),
  stateBefore: {
    shape: { ...(FACT.from.shape as Described), about: 'The state before; null: there was none.' },
    of: ({ from }) => from,
  },
  state: { shape: { ...(FACT.to.shape as Described), about: 'The state after.' }, of: ({ to }) => to },
  from: { shape: { ...(FACT.from.shape as Described), about: 'The same as stateBefore.' }, of: ({ from }) => from },
  to: { shape: { ...(FACT.to.shape as Described), about: 'The same as state.' }, of: ({ to }) => to },
  ...sameFact('attempt', 'fence'),
  detail: {
    shape: { type: 'json', optional: true },
    of: ({ detail }) => (detail === '' ? undefined : (JSON.parse(detail) as Json)),
  },
  ...sameFact('hash'),
};

function sameFact<Name extends keyof Fact>(
  ...names: readonly Name[]
): { [Key in Name]: { shape: Described; of(fact: Fact): Fact[Key] } } {
  const entries = names.map((name) => [name, { shape: FACT[name].shape, of: (fact: Fact) => fact[name] }] as const);
  return Object.fromEntries(entries) as never;
}

export const factView = viewerOf(FACT_VIEW);

/** A fact without a detail has an empty text. */
export function factDetail({ detail }: Pick<Fact, 'detail'>): Readonly<Record<string, unknown>> {
  return detail === '' ? {} : (JSON.parse(detail) as Readonly<Record<string, unknown>>);
}

/** The fields of the view are in the order of the table. */
function viewerOf<View, Of>(table: ViewField<View, Of>): (from: Of) => View {
  const fill = fillerOf(table);
  const blank = blankOf(table);
  return (from) => {
    const view = { ...blank };
    fill(view, from);
    return view as View;
  };
}

type Fields = Record<string, unknown>;

/** Adds the fields to a view: merging two objects takes longer than making one of them. */
function fillerOf<View, Of>(table: ViewField<View, Of>): (view: Fields, from: Of) => void {
  const fields = Object.entries<ViewField<View, Of>[keyof View]>(table).map(([name, { of }]) => ({ name, of }));
  return (view, from) => {
    for (const { name, of } of fields) {
      const value = of(from);
      if (value !== undefined) view[name] = value;
    }
  };
}

/** The fields that every view begins with. To copy them together and fill them in is twice as fast as to add each. */
function blankOf(table: Readonly<Record<string, { readonly shape: Described }>>): Fields {
  const fields = Object.entries(table);
  const optional = fields.findIndex(([, { shape }]) => shape.optional === true);
  const leading = optional === -1 ? fields : fields.slice(0, optional);
  return Object.fromEntries(leading.map(([name]) => [name, undefined]));
}

type CarriedFields = Pick<WholeView, 'input' | 'schema' | 'context'>;

const BODY_VIEW: ViewField<CarriedFields, Body> = {
  input: { shape: { type: 'json' }, of: inputIn },
  schema: { shape: { type: 'text', optional: true }, of: ({ schema }) => schema },
  context: { shape: { type: 'object', fields: {}, open: true, optional: true }, of: contextIn },
};

type Ended = Pick<WholeView, 'result' | 'failure'>;

const OUTCOME_VIEW: ViewField<Ended, Outcome> = {
  result: { shape: { type: 'json', optional: true }, of: ({ result }) => result },
  failure: {
    shape: { type: 'object', fields: FAILURE_FIELDS, optional: true },
    of: (outcome) => {
      if (outcome.kind === 'result') return undefined;
      const { code, message, violations } = outcome;
      return { code, message, ...(violations === undefined ? {} : { violations }) };
    },
  },
};

/** The fields of a whole handoff that are not in its record. */
export const CARRIED_SHAPES: DescribedFields = shapesOf({ ...BODY_VIEW, ...OUTCOME_VIEW });

export function shapesOf(table: Readonly<Record<string, { readonly shape: Described }>>): DescribedFields {
  return Object.fromEntries(Object.entries(table).map(([name, { shape }]) => [name, shape]));
}

/** The record with its body and its outcome. */
export function wholeView({ handoff, body, outcome }: StoredHandoff): WholeView {
  const view = handoffView(handoff) as unknown as Fields;
  fillBody(view, parseExact(body) as Body);
  if (outcome !== null) fillOutcome(view, parseExact(outcome) as Outcome);
  return view as WholeView;
}

/** The record with its body, which may hold the results of dependencies. */
export function carriedView(handoff: Handoff, body: Body): HandoffView & CarriedFields {
  const view = handoffView(handoff) as unknown as Fields;
  fillBody(view, body);
  return view as HandoffView & CarriedFields;
}

const fillBody = fillerOf(BODY_VIEW);
const fillOutcome = fillerOf(OUTCOME_VIEW);

/** Formatting a date is the slowest part of a view, and neighbors often share their instant. */
const dateCache = { ms: Number.NaN, text: '' };

function instant(ms: number): string {
  if (dateCache.ms === ms) return dateCache.text;
  dateCache.text = new Date(ms).toISOString();
  dateCache.ms = ms;
  return dateCache.text;
}
