/** The agent whom a line means: without its title, its role, its emphasis. */
import { readAgentId, type AgentId } from '../../domain/names.ts';
import { isPlaceholder, plainText } from './plain-text.ts';

const NOBODY =
  /^(?:none|n\/?a|tbd|tba|unassigned|unknown|nobody|null|nil|undefined|any|anyone|all|everyone|-+|—|–|\?)$/i;
/** What begins like this goes on as a sentence. */
const PROSE = /^(?:the|an?|this|that|these|our|my|your|its|each|every|when|where|if|we|you|it)\s/i;
const ENDS = /\s*[([{<,;|/&+]|\s+[—–·•-]+\s+|\s*(?:→|->|=>)|\s+(?:and|und|et|y|via|on|in|at|as|who)\s|[:：]|\.\s/;

/** Words for the absence of anybody. */
export function isNobody(text: string): boolean {
  return NOBODY.test(plainText(text.slice(0, 60)));
}

export function agentOf(text: string): AgentId | null {
  const plain = plainText(text.slice(0, 300));
  if (plain === '' || isPlaceholder(plain)) return null;
  const mention = /(?:^|[\s(])@([A-Za-z0-9][\w.-]{0,62})/.exec(plain)?.[1];
  const first = mention ?? plainText(plain.split(ENDS, 1)[0] ?? '');
  if (NOBODY.test(first) || PROSE.test(first)) return null;
  const name = first
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^[-._]+|[-.]+$/g, '');
  // A sentence is nobody's name, and neither is a number.
  if (name.split('-').length > 6 || !/[A-Za-z]/.test(name)) return null;
  return readAgentId(name);
}
