/** What a rejection says beside its reason, as it stands in its fact. */
import type { Fact } from './facts.ts';
import { readAgentId, type AgentId } from './names.ts';

/** The recipient cannot do it: somebody has to be found who can. */
const SKILL_GAP = 'skill_gap';

/** People write `skill-gap` and `Skill gap`; it can mean nothing else. */
export function isSkillGap(type: string): boolean {
  return (
    type
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_') === SKILL_GAP
  );
}

export function wantsSkill(fact: Fact): boolean {
  if (fact.to !== 'rejected') return false;
  const { type } = detailOf(fact);
  return typeof type === 'string' && isSkillGap(type);
}

/** To whom it was escalated when it happened; empty: to whoever looks. Null: it was not. */
export function escalatedTo(fact: Fact): readonly AgentId[] | null {
  if (fact.to !== 'rejected') return null;
  const { escalatedTo: named } = detailOf(fact);
  if (!Array.isArray(named)) return null;
  return named.map((name) => readAgentId(String(name))).filter((agent) => agent !== null);
}

function detailOf({ detail }: Fact): { readonly type?: unknown; readonly escalatedTo?: unknown } {
  return detail === '' ? {} : (JSON.parse(detail) as { readonly type?: unknown });
}
