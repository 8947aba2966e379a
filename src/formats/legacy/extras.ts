/** Priority, deadline and further recipients of an old handoff. */
import type { AgentId } from '../../domain/names.ts';
import { agentOf } from './agents.ts';
import { instantOf } from './dates.ts';
import { meaningsOf, wordOf } from './keys.ts';
import { isPlaceholder } from './plain-text.ts';
import type { Field, LegacyReading } from './legacy-reading.ts';

export interface Extras {
  readonly priority: string | null;
  readonly dueAt: number | null;
  /** Recipients after the first one. */
  readonly alsoTo: readonly AgentId[];
}

const PRIORITY = /^(?:priority|prio|urgency|severity|importance|prioridad|priorite|prioritat|優先度|优先级|우선순위)$/;
const DUE =
  /^(?:due|due_date|due_by|due_at|deadline|target_completion|target_date|complete_by|needed_by|finish_by|eta|frist|fecha_limite|echeance|期限|마감일)$/;
const TEXT_MAX = 100;
const RECIPIENTS_MAX = 20;
const WORDS_MAX = 3;

export function extrasOf(reading: LegacyReading): Extras {
  const named = (words: RegExp): readonly Field[] =>
    reading.fields.filter(
      ({ key, path, text }) =>
        words.test(wordOf(key)) && !/\[\d+\]\./.test(path) && text !== '' && !isPlaceholder(text),
    );
  const priority = named(PRIORITY).find(({ text }) => text.length <= TEXT_MAX)?.text ?? null;
  const due = named(DUE).map(({ text }) => instantOf(text));
  return { priority, dueAt: due.find((at) => at !== null) ?? null, alsoTo: alsoToOf(reading) };
}

/** `to: [ada, tim]`, `To: Ada, Tim and Otto`. A word behind a slash or in brackets is a role. */
function alsoToOf({ to, recipient, fields }: LegacyReading): readonly AgentId[] {
  if (to === null || to.line === 0) return [];
  const list = /^(.*)\[0\](?:\.[^[.]+)?$/.exec(to.path)?.[1];
  const texts =
    list === undefined
      ? to.text
          .replace(/\([^()]*\)/g, ' ')
          .split(/\s*[,;&+]\s*|\s+(?:and|und|et|y)\s+/)
          .slice(1)
      : fields
          .filter(({ path, key }) => isOtherOf(path, list) && (path.endsWith(']') || key === to.key))
          .map(({ text }) => text);
  const agents = texts.flatMap((text) => {
    const agent = text.trim().split(/\s+/).length > WORDS_MAX || meaningsOf(text).length > 0 ? null : agentOf(text);
    return agent === null || agent === recipient ? [] : [agent];
  });
  return [...new Set(agents)].slice(0, RECIPIENTS_MAX);
}

function isOtherOf(path: string, list: string): boolean {
  return path.startsWith(`${list}[`) && !path.startsWith(`${list}[0]`);
}
