/** Registered keys from a file, as `baton key list --json` prints them: for whoever has no database at hand. */
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

/** A date that cannot be read is one that has passed: when in doubt a key proves nothing. */
function instantIn(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  return (typeof value === 'string' ? Date.parse(value) : 0) || 0;
}
