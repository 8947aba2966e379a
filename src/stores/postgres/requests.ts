/** Answered requests: a repeated request with the same key returns the same records. */
import { present } from '../../foundation/assert.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { removedRefusal, keysOf, REQUEST_DAYS, type RequestKey } from '../store.ts';
import type { Connection } from './connection.ts';
import type { Parameter } from './driver.ts';
import { records, recordsInOrder } from './load.ts';
import { removedOf } from './removed.ts';

const EXPIRED = `at <= clock_timestamp() - interval '${REQUEST_DAYS} days'`;

const ANSWERED_SQL = `select hash, ids from baton.request where by = $1::text and key = $2::text and not (${EXPIRED})`;
const FORGET_ONE_SQL = `delete from baton.request where by = $1::text and key = $2::text and ${EXPIRED}`;

/** Deleted per maintenance pass, to keep the statement short. */
const FORGET_MAX = 1000;
const FORGET_SQL = `delete from baton.request where ctid = any (array(
  select ctid from baton.request where ${EXPIRED.replace('clock_timestamp()', '(select clock_timestamp())')} limit ${FORGET_MAX}))`;

export const KEEP_REQUEST = 'insert into baton.request (by, key, hash, ids, at)';

/** In the order of `requestParts`. */
export function requestValues(request: RequestKey, ids: readonly string[]): readonly Parameter[] {
  const { by, hash, forEver } = request;
  return [by, hash, JSON.stringify(ids), forEver === true ? 1 : 0, JSON.stringify(keysOf(request))];
}

/** A request that is kept for ever has the time `infinity`. */
export function requestParts(next: () => string): string {
  const [by, hash, ids, forEver, keys] = [next(), next(), next(), next(), next()];
  const at = `case ${forEver}::integer when 1 then 'infinity'::timestamptz else clock_timestamp() end`;
  return `${by}::text, named.key, ${hash}::text, ${ids}::text, ${at} from json_array_elements_text(${keys}::text::json) named (key)`;
}

const REQUESTED_SQL = 'select ids from baton.request where by = $1::text and key = $2::text';

/** The current records of the answer to a request. Empty: the request is unknown. */
export async function requested(
  connection: Connection,
  { by, key }: Pick<RequestKey, 'by' | 'key'>,
): Promise<readonly Handoff[]> {
  const [row] = await connection.read(REQUESTED_SQL, [by, key]);
  const ids = row === undefined ? [] : (JSON.parse(row[0] as string) as readonly HandoffId[]);
  return recordsInOrder(connection, ids);
}

/** The current records of the earlier answer. Null: the request is new. */
export async function answeredBefore(
  connection: Connection,
  { by, key, hash }: RequestKey,
): Promise<Result<readonly Handoff[], Refusal> | null> {
  const [row] = await connection.read(ANSWERED_SQL, [by, key]);
  if (row === undefined) return null;
  if (row[0] !== hash) return err({ code: 'request-reused', key });
  const ids = JSON.parse(row[1] as string) as readonly HandoffId[];
  const found = await records(connection, ids);
  const [gone] = found.size === new Set(ids).size ? [] : await removedOf(connection, ids);
  if (gone !== undefined) return err(removedRefusal(gone));
  return ok(ids.map((id) => present(found.get(id), 'what is not removed is there')));
}

/** Deletes an expired request that blocks a new one with the same key. */
export async function forgetExpired(connection: Connection, { by, key }: RequestKey): Promise<void> {
  await connection.write(FORGET_ONE_SQL, [by, key]);
}

export async function forgetAllExpired(connection: Connection): Promise<void> {
  await connection.write(FORGET_SQL);
}
