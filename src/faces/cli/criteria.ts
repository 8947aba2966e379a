/** `--check 'works on a phone=tried it'`: which criterion is meant, and what the verifier saw. */
import type { HandoffId } from '../../domain/names.ts';
import type { Surroundings } from '../../engine/surroundings.ts';
import type { CriterionCheck } from '../../engine/verbs/verify.ts';
import { faceProblem } from './problem.ts';

/** A criterion may hold an `=` itself, and the beginning of one is enough where it is the only one. */
export async function criteriaMet(
  { store }: Surroundings,
  id: HandoffId,
  checks: readonly string[],
): Promise<readonly CriterionCheck[]> {
  const {
    items: [handoff],
  } = await store.find({ by: 'ids', ids: [id] });
  const known = handoff?.terms.criteria ?? [];
  return checks.map((text) => {
    const exact = known.find((criterion) => text === criterion || text.startsWith(`${criterion}=`));
    if (exact !== undefined) return { criterion: exact, says: text.slice(exact.length + 1) };
    const [name = '', ...says] = text.split('=');
    const alike = known.filter((criterion) => criterion.toLowerCase().startsWith(name.trim().toLowerCase()));
    const [only] = alike;
    if (only !== undefined && alike.length === 1 && name.trim() !== '')
      return { criterion: only, says: says.join('=') };
    const list = known.length === 0 ? 'it has none' : `there are: ${known.join(' · ')}`;
    throw faceProblem('bad-request', `--check ${JSON.stringify(text)} names no one criterion of ${id}; ${list}`);
  });
}
