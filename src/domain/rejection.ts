/** Type and escalation of a rejection, from its fact. */
import { detailIn } from './fact-detail-text.ts';
import type { Fact } from './facts.ts';
import { readAgentId, type AgentId } from './names.ts';

/** The recipient lacks the skill, and the sender has to find another one. People also write `skill-gap` and `Skill gap`. */
export function isSkillGap(type: string): boolean {
  return /^skill(?:_|[\s-]+)gap$/i.test(type.trim());
}

export function wantsSkill(fact: Fact): boolean {
  if (fact.to !== 'rejected') return false;
  const { type } = detailIn(fact);
  return typeof type === 'string' && isSkillGap(type);
}

/** The agents to which it was escalated; empty: none was named. Null: not escalated. */
export function escalatedTo(fact: Fact): readonly AgentId[] | null {
  const named: unknown = fact.to === 'rejected' ? detailIn(fact)['escalatedTo'] : null;
  if (!Array.isArray(named)) return null;
  return named.map((name) => readAgentId(String(name))).filter((agent) => agent !== null);
}
