/**
 * Whether a text is a handoff, or only speaks of handoffs. The content decides: a guide may be called after them, quote
 * one in a code block and have a front matter of its own.
 */
import { readAgentId, readHandoffId } from '../../domain/names.ts';
import { readEntries } from '../../dialects/document/entries.ts';

/** `older` is one of the forms before this one; `broken` means to be a handoff and cannot be read. */
export type Suspect = 'document' | 'older' | 'broken';

const HEAD_LINES = 60;
const NAMED = /hand-?_?off/i;
const OURS = /^(?:handoff_id|from_agent|to_agent)[ \t]*:/m;

export function suspectIn(path: string, text: string): Suspect | null {
  if (OURS.test(text)) {
    const found = oursIn(text);
    if (found !== null) return found;
  }
  return NAMED.test(path) && isOlderForm(text) ? 'older' : null;
}

function oursIn(text: string): Suspect | null {
  const { frontMatter, entries, problems } = readEntries(text);
  if (frontMatter === null || problems.length > 0) return meansToBe(headOf(text)) ? 'broken' : null;
  const said = new Map(entries.map(({ key, value }) => [key, value]));
  const word = (key: string): string => String(said.get(key) ?? '');
  // A form to be filled in has the keys, and no values that could be any.
  const isNamed = readHandoffId(word('handoff_id')) !== null;
  const isAddressed = readAgentId(word('from_agent')) !== null && readAgentId(word('to_agent')) !== null;
  return isNamed || isAddressed ? 'document' : null;
}

function meansToBe(head: readonly string[]): boolean {
  const has = (key: string): boolean =>
    head.some((line) => new RegExp(`^${key}[ \\t]*:[ \\t]*[^ \\t{<$\\[]`).test(line));
  return has('handoff_id') || (has('from_agent') && has('to_agent'));
}

/** A sender, a recipient, and a task or a status, each as a field at the head of the text. */
function isOlderForm(text: string): boolean {
  const head = headOf(text);
  const has = (names: string): boolean => {
    const field = new RegExp(`^(?:[-*#>]+ +)?\\*{0,2}(?:${names})\\*{0,2}[ \\t]*:\\*{0,2}[ \\t]*[^ \\t{<$\\[]`, 'i');
    return head.some((line) => field.test(line));
  };
  return (
    has('from|from_agent|from agent') &&
    has('to|to_agent|to agent|assigned_to|assigned to') &&
    has('status|task|task_id|task id|related_task|created|date')
  );
}

/** The first lines that are not quoted as code. */
function headOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/, HEAD_LINES);
  let fence: string | null = null;
  return lines.filter((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark === undefined) return fence === null;
    if (fence === null) fence = mark;
    else if (mark.startsWith(fence)) fence = null;
    return false;
  });
}
