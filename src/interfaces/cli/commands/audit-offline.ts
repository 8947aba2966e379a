/** `baton audit --offline FILE`: checks the signatures in an export or a document against registered keys. */
import { messageOf } from '../../../foundation/error-message.ts';
import { closeSync, createReadStream, openSync, readFileSync, readSync } from 'node:fs';
import type { RegisteredKey } from '../../../engine/context.ts';
import { checkDocument, isSuspicious, type CheckedMove } from '../../../engine/signatures.ts';
import { auditExport, type AuditedTrail } from '../../../engine/transfer/offline-audit.ts';
import { errorsIn, problemText, readDocument } from '../../../formats/document/read.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { onInterrupt } from '../interrupt.ts';
import { readKeyList } from '../key-list.ts';
import type { Output } from '../output.ts';
import { cliProblem } from '../problem.ts';
import { EVIDENCE_GONE, type AuditOptions } from './audit.ts';

const HOW_TO_GET_KEYS =
  '--offline needs --keys FILE: the keys that you believe, as an operator prints them with: baton key list --json';
const BYTE_ORDER_MARK = '\uFEFF';

export async function auditOffline(file: string, { keys: keysFile }: AuditOptions, output: Output): Promise<number> {
  if (keysFile === undefined) throw cliProblem('usage', HOW_TO_GET_KEYS);
  const keys = readKeyList(keysFile);
  const found: AuditedTrail[] = [];
  const counts = new Map<string, number>();
  const take = (trail: AuditedTrail): void => {
    for (const { verdict } of trail.moves) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    const isNamed = output.json || trail.moves.some(isSuspicious);
    if (isNamed) found.push(trail);
  };
  const damage = isDocument(file) ? auditDocument(file, keys, found, take) : await auditExportFile(file, keys, take);
  if (typeof damage === 'number') return damage;
  if (output.json) output.answer({ file, moves: Object.fromEntries(counts), damage, items: found.map(viewOf) });
  else output.line(pageOf(found, counts, damage));
  return damage.length > 0 || found.some(({ moves }) => moves.some(isSuspicious)) ? EVIDENCE_GONE : 0;
}

/** The damage of the file, or the exit code of an interrupt. */
async function auditExportFile(
  file: string,
  keys: readonly RegisteredKey[],
  take: (trail: AuditedTrail) => void,
): Promise<readonly string[] | number> {
  const interrupts = onInterrupt(() => undefined);
  const read = await auditExport(createReadStream(file), keys, take, interrupts.stop).catch(cannotRead(file));
  if (read.ok) return [];
  if (read.refusal.code === 'interrupted') return interrupts.exitCode() ?? 1;
  const { line, column, says, others } = read.refusal;
  return [{ line, column, says }, ...others].map((bad) => `${file}:${bad.line}:${bad.column}: ${bad.says}`);
}

function auditDocument(
  file: string,
  keys: readonly RegisteredKey[],
  found: AuditedTrail[],
  take: (trail: AuditedTrail) => void,
): readonly string[] {
  const read = readDocument(readFileSync(file, 'utf8'));
  const { fields } = read;
  const errors = errorsIn(read);
  if (errors.length > 0) return errors.map((problem) => `${file}:${problemText(problem)}`);
  const { handoff_id: id = '', from_agent: from = '', to_agent: to = '', status = '', title = null } = fields;
  const handoff = { id, from, to, state: status, title } as unknown as AuditedTrail['handoff'];
  const trail = { handoff, moves: checkDocument(fields, keys) };
  take(trail);
  // A document holds few signatures, so the good ones are listed too.
  if (!found.includes(trail)) found.push(trail);
  return [];
}

function isDocument(file: string): boolean {
  const start = Buffer.alloc(8);
  try {
    const opened = openSync(file, 'r');
    try {
      readSync(opened, start);
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    return cannotRead(file)(error);
  }
  const text = start.toString();
  return (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).startsWith('---');
}

function cannotRead(file: string): (error: unknown) => never {
  return (error) => {
    throw cliProblem('bad-request', `${file} cannot be read (${messageOf(error)})`);
  };
}

function viewOf({ handoff: { id, from, to, state, title }, moves }: AuditedTrail): object {
  const shown = moves.map(({ at, ...move }) => ({ ...move, at: new Date(at).toISOString() }));
  return { id, from: `@${from}`, to: `@${to}`, state, title, moves: shown };
}

function pageOf(
  found: readonly AuditedTrail[],
  counts: ReadonlyMap<string, number>,
  damage: readonly string[],
): string {
  const trails = found.flatMap(({ handoff: { id, from, to, state, title }, moves }) => [
    `${id}  @${from} → @${to}  ${state}  ${title ?? ''}`,
    ...moves.map(lineOf),
  ]);
  const total = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ');
  const damaged = damage.map((says) => `DAMAGED: ${says}`);
  return [...trails, ...damaged, `moves of agents: ${total === '' ? 'none is signed' : total}`]
    .map(displayLine)
    .join('\n');
}

function lineOf(checked: CheckedMove): string {
  const { move, by, at, verdict, says } = checked;
  const mark = isSuspicious(checked) ? `${verdict.toUpperCase()}: ` : '';
  return `  ${move} by ${by} at ${new Date(at).toISOString()}: ${mark}${says}`;
}
