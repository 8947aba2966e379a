/** Registered keys from a file that `baton key list --json` printed, for readers without a database. */
import { messageOf } from '../../foundation/error-message.ts';
import { readFileSync } from 'node:fs';
import { readAgentId } from '../../domain/names.ts';
import type { RegisteredKey } from '../../engine/context.ts';
import { readSshKey } from '../../foundation/ssh-key.ts';
import { cliProblem } from './problem.ts';

export function readKeyList(file: string): readonly RegisteredKey[] {
  const bad = (says: string): never => {
    throw cliProblem('bad-request', `${file} is no list of keys: ${says}; print one with: baton key list --json`);
  };
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return bad(messageOf(error));
  }
  if (!Array.isArray(read)) return bad('it is not a list');
  return (read as readonly Readonly<Record<string, unknown>>[]).map((each, index) => {
    const key = readSshKey(String(each['key']));
    const agent = readAgentId(String(each['for']).replace(/^@/, ''));
    const addedAt = Date.parse(String(each['addedAt']));
    if (key === null || agent === null || Number.isNaN(addedAt)) return bad(`its entry ${index + 1} is no key`);
    return { ...key, agent, addedAt, revokedAt: instantIn(each['revokedAt']), retiredAt: instantIn(each['retiredAt']) };
  });
}

/** An unreadable date counts as past: it is worse to trust a revoked key than to reject a good one. */
function instantIn(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  return (typeof value === 'string' ? Date.parse(value) : 0) || 0;
}
