/** The revision of a handoff as an entity tag. */
import type { Handoff } from '../../domain/handoff.ts';
import type { HttpContext } from './contract.ts';
import { httpProblem } from './problem.ts';

export function entityTag({ revision }: Handoff): string {
  return `"${revision}"`;
}

/** Whether the client has this revision already. */
export function isKnown(c: HttpContext, tag: string): boolean {
  const given = c.req.header('if-none-match') ?? '';
  return given.split(',').some((each) => each.trim().replace(/^W\//, '') === tag);
}

/** The revision that the change is meant for; null: any. */
export function expectedRevision(c: HttpContext): number | null {
  const given = c.req.header('if-match')?.trim();
  if (given === undefined || given === '*') return null;
  const found = /^"([0-9]{1,15})"$/.exec(given);
  if (found?.[1] !== undefined) return Number(found[1]);
  throw httpProblem('bad-request', 'If-Match: one ETag of this handoff, like "3"');
}
