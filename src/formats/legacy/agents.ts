/** Reads the agent that a line names, without title, role and emphasis. */
import { readAgentId, type AgentId } from '../../domain/names.ts';
import { isPlaceholder, plainText } from './plain-text.ts';

const NOBODY =
  /^(?:none|n\/?a|tbd|tba|unassigned|unknown|nobody|null|nil|undefined|any|anyone|all|everyone|-+|—|–|\?)$/i;
/** A text that begins like this is a sentence. */
const PROSE = /^(?:the|an?|this|that|these|our|my|your|its|each|every|when|where|if|we|you|it)\s/i;
const ENDS = /\s*[([{<,;|/&+]|\s+[—–·•-]+\s+|\s*(?:→|->|=>)|\s+(?:and|und|et|y|via|on|in|at|as|who)\s|[:：]|\.\s/;

export function isNobody(text: string): boolean {
  return NOBODY.test(plainText(text.slice(0, 60)));
}

export function agentOf(text: string): AgentId | null {
  const plain = plainText(text.slice(0, 300));
  if (plain === '' || isPlaceholder(plain)) return null;
  const mention = /(?:^|[\s(])@([A-Za-z0-9][\w.-]{0,62})/.exec(plain)?.[1];
  const first = mention ?? plainText(plain.split(ENDS, 1)[0] ?? '');
  if (NOBODY.test(first) || PROSE.test(first)) return null;
  const name = slugOf(first.normalize('NFKD').replace(/\p{M}+/gu, ''), /[^A-Za-z0-9._-]+/g);
  // Neither a sentence nor a number is a name.
  if (name.split('-').length > 6) return null;
  if (FOREIGN_LETTER.test(first)) return foreignName(first);
  return /[A-Za-z]/.test(name) ? readAgentId(name) : null;
}

const FOREIGN_LETTER = /(?!\p{Script=Latin})\p{L}/u;
const FOREIGN_WORDS_MAX = 3;
const FOREIGN_CHARACTERS_MAX = 24;

/**
 * Agent names are ASCII. A name in other letters is encoded as the web encodes host names (`xn--…`), which can be decoded
 * and gives the same agent everywhere.
 */
function foreignName(text: string): AgentId | null {
  if (text.length > FOREIGN_CHARACTERS_MAX || text.split(/\s+/).length > FOREIGN_WORDS_MAX) return null;
  const slug = slugOf(text.normalize('NFC'), /[^\p{L}\p{M}\p{N}._-]+/gu);
  const url = `http://${slug.replaceAll('.', '-').replaceAll('_', '-')}/`;
  return URL.canParse(url) ? readAgentId(new URL(url).hostname) : null;
}

function slugOf(text: string, between: RegExp): string {
  return text
    .replace(between, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^[-._]+|[-.]+$/g, '');
}
