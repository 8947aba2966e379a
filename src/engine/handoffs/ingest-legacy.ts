/** A handoff that somebody wrote in a form of their own becomes one of ours, once: by its text and where it was read. */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { LegacyReading } from '../../formats/legacy/legacy-reading.ts';
import { readHandoffId, type AgentId } from '../../domain/names.ts';
import { agentPrincipal, principalText, type Principal } from '../../domain/principal.ts';
import type { SummarySource } from '../../domain/summary.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Beginning } from '../../domain/moves/create.ts';
import { reconcileFolders } from '../change.ts';
import { fileKeys } from '../summaries/block-keys.ts';
import { beginsAs, openingFor, type FoundWork } from '../summaries/legacy-handoff.ts';
import { legIdOf } from '../summaries/leg.ts';
import type { Context } from '../context.ts';
import type { Ingested, IngestRefusal } from './ingest.ts';
import { decidedTrailOf } from '../secrets/warnings.ts';

export interface LegacyRequest {
  readonly reading: LegacyReading;
  readonly from: AgentId;
  readonly to: AgentId;
  readonly project: string;
  readonly source: Extract<SummarySource, { readonly file: string }>;
}

export async function ingestLegacy(
  ctx: Context,
  principal: Principal,
  { reading, from, to, project, source }: LegacyRequest,
): Promise<Result<Ingested, IngestRefusal>> {
  const as = beginsAs(reading, source.file);
  const speaker = speakerFor(ctx, principal, from);
  if (speaker === null) return err({ code: 'not-speaker', from, principal: principalText(principal) });
  // That somebody else has done something is not for an agent to say.
  const isTheirs = as === 'settled' && principal.kind === 'agent' && principal.agent !== to;
  if (isTheirs) return err({ code: 'not-speaker', from: to, principal: principalText(principal) });
  const own = await ownRecord(ctx, reading, from);
  if (own !== null) return ok(knownAs(own));

  const { request, all } = fileKeys(reading.text, source);
  for (const each of all) {
    const { items } = await ctx.store.find({ by: 'request', request: each });
    if (items[0] !== undefined) return ok(knownAs(items[0]));
  }
  const work: FoundWork = { id: legIdOf(request.key, 'root'), reading, from, to, project, file: source.file };
  const insert = async (begins: Beginning['as'] | null): Promise<Result<Ingested, IngestRefusal>> => {
    const opening = openingFor(ctx, { principal, speaker }, work, begins);
    if (!opening.ok) return err({ code: 'not-json', problem: opening.refusal });
    let trail = '';
    const { decide } = opening.value;
    const noted: typeof decide = (...given) => {
      const decided = decide(...given);
      if (decided.ok) ({ trail } = decided.value.handoff);
      return decided;
    };
    const inserted = await ctx.store.insert([{ ...opening.value, decide: noted }], { request });
    if (!inserted.ok) return inserted.refusal.code === 'known-id' ? madeBefore(ctx, work, inserted) : inserted;
    await reconcileFolders(ctx, inserted.value);
    const [made] = inserted.value;
    // A request that somebody else has made meanwhile is answered with their record.
    if (made === undefined || decidedTrailOf(made) !== trail) return ok(knownAs(made ?? work));
    return ok(doneAs(made, reading, as));
  };
  const done = await insert(as === 'settled' ? null : as);
  const isFull = !done.ok && done.refusal.code === 'limit-reached' && as === 'offer';
  return isFull ? insert('place') : done;
}

/** A token is proof for one agent; the local user speaks for all of them. */
function speakerFor({ rules }: Context, principal: Principal, from: AgentId): Principal | null {
  if (principal.kind === 'agent') return principal.agent === from ? principal : null;
  return principal.kind === 'operator' ? agentPrincipal(from, rules.rolesOf(from)) : null;
}

/** Files of our own folders name the record that they show. */
async function ownRecord({ store }: Context, reading: LegacyReading, from: AgentId): Promise<Handoff | null> {
  const id = readHandoffId(reading.id?.text ?? '');
  const { items } = id === null ? { items: [] } : await store.find({ by: 'ids', ids: [id] });
  return items[0]?.from === from ? items[0] : null;
}

/** In a database that was imported the answers to requests are lost, and the ids are not. */
async function madeBefore(
  { store }: Context,
  { id, from }: FoundWork,
  refused: Result<never, IngestRefusal>,
): Promise<Result<Ingested, IngestRefusal>> {
  const { items } = await store.find({ by: 'ids', ids: [id] });
  return items[0]?.from === from ? ok(knownAs(items[0])) : refused;
}

function knownAs({ id }: Pick<Handoff, 'id'>): Ingested {
  return { did: 'known', leg: id, opened: null, escalatedTo: null, says: [] };
}

function doneAs({ id }: Handoff, { state, status }: LegacyReading, as: ReturnType<typeof beginsAs>): Ingested {
  const did = as === 'settled' ? 'recorded' : as === 'draft' ? 'drafted' : 'offered';
  const word = JSON.stringify(status?.text.slice(0, 60) ?? '');
  const isOdd = as === 'draft' && state !== 'draft';
  const says = isOdd ? [`its status was ${word}: it is a draft until somebody activates it`] : [];
  return { did, leg: id, opened: as === 'settled' ? null : id, escalatedTo: null, says };
}
