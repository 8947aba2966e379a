/** Stores a handoff in a legacy form once: its text and its file identify it. */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { LegacyReading } from '../../formats/legacy/legacy-reading.ts';
import { readHandoffId } from '../../domain/names.ts';
import { principalText, type Principal } from '../../domain/principal.ts';
import type { SummarySource } from '../../domain/summary.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Beginning } from '../../domain/moves/create.ts';
import { reconcileFolders } from '../change.ts';
import { fileKeys } from '../summaries/block-keys.ts';
import { beginsAs, openingFor, type FoundWork } from '../summaries/legacy-handoff.ts';
import { legIdOf } from '../summaries/leg.ts';
import type { Context } from '../context.ts';
import {
  knownAs,
  knownBefore,
  madeBefore,
  remembering,
  speakerOf,
  type Ingested,
  type IngestRefusal,
} from './ingest.ts';

export interface LegacyRequest extends Omit<FoundWork, 'id' | 'file'> {
  readonly source: Extract<SummarySource, { readonly file: string }>;
}

export async function ingestLegacy(
  ctx: Context,
  principal: Principal,
  { reading, from, to, project, source }: LegacyRequest,
): Promise<Result<Ingested, IngestRefusal>> {
  const as = beginsAs(reading, source.file);
  const speaker = speakerOf(ctx, principal, from);
  if (speaker === null) return err({ code: 'not-speaker', from, principal: principalText(principal) });
  // An agent cannot report that another agent has finished something.
  const isTheirs = as === 'settled' && principal.kind === 'agent' && principal.agent !== to;
  if (isTheirs) return err({ code: 'not-speaker', from: to, principal: principalText(principal) });
  // A file of our own folders names its record.
  const ownId = readHandoffId(reading.id?.text ?? '');
  const own = ownId === null ? null : await madeBefore(ctx, from, ownId);
  if (own !== null) return ok(knownAs([own]));
  const keys = fileKeys(reading.text, source);
  const known = await knownBefore(ctx, keys);
  if (known !== null) return known;
  const { request } = keys;
  const work: FoundWork = { id: legIdOf(request.key, 'root'), reading, from, to, project, file: source.file };
  const insert = async (begins: Beginning['as'] | null): Promise<Result<Ingested, IngestRefusal>> => {
    const newHandoff = openingFor(ctx, { principal, speaker }, work, begins);
    if (!newHandoff.ok) return err({ code: 'not-json', problem: newHandoff.refusal });
    const { decide, isOwn } = remembering(newHandoff.value.decide);
    const inserted = await ctx.store.insert([{ ...newHandoff.value, decide }], { request });
    if (!inserted.ok) {
      // An imported database has no request keys, but still the ids.
      const before = inserted.refusal.code === 'known-id' ? await madeBefore(ctx, from, work.id) : null;
      return before === null ? inserted : ok(knownAs([before]));
    }
    await reconcileFolders(ctx, inserted.value);
    const [made] = inserted.value;
    return ok(made === undefined || !isOwn(made) ? knownAs([made ?? work]) : doneAs(made, reading, as));
  };
  const done = await insert(as === 'settled' ? null : as);
  const isFull = !done.ok && done.refusal.code === 'limit-reached' && as === 'offer';
  return isFull ? insert('place') : done;
}

function doneAs({ id }: Handoff, { state, status }: LegacyReading, as: ReturnType<typeof beginsAs>): Ingested {
  const did = as === 'settled' ? 'recorded' : as === 'draft' ? 'drafted' : 'offered';
  const word = JSON.stringify(status?.text.slice(0, 60) ?? '');
  const isOdd = as === 'draft' && state !== 'draft';
  const says = isOdd ? [`its status was ${word}: it is a draft until somebody activates it`] : [];
  return { did, leg: id, opened: as === 'settled' ? null : id, escalatedTo: null, says };
}
