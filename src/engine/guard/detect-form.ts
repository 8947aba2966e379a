/**
 * Detects whether a text is a handoff. Only the content counts: a guide may have the word in its name, quote a handoff in
 * a code block and have front matter of its own.
 */
import { readAgentId, readHandoffId } from '../../domain/names.ts';
import { readEntries } from '../../formats/document/entries.ts';
import { foreignFolderIn } from '../migration/foreign-folders.ts';
import { fileNameOf, idInFileName } from '../../formats/document/names.ts';
import { findFrontMatter } from '../../formats/document/front-matter.ts';

/** `older`: a form from before documents. `broken`: meant to be a handoff, but it cannot be read. */
type DetectedForm = 'document' | 'older' | 'broken';

const HEAD_LINES = 60;
const LINE_CHARS_MAX = 500;
const NAMED = /hand-?_?off/i;
const OURS = /^(?:handoff_id|from_agent|to_agent)[ \t]*:/m;

export function detectForm(path: string, text: string): DetectedForm | null {
  const said = OURS.test(text) ? ownFormIn(text) : 'not ours';
  if (said !== 'not ours') return said === 'a form' ? null : said;
  // Files that `baton migrate` would not move are not reported.
  return NAMED.test(path) && foreignFolderIn(path, '') === null && isOlderForm(text) ? 'older' : null;
}

/** A form to be filled in has the keys, and no values that fit them. */
function ownFormIn(text: string): DetectedForm | 'a form' | 'not ours' {
  const { frontMatter, entries, problems } = readEntries(text);
  if (frontMatter === null || problems.length > 0) return looksLikeHandoff(headOf(text)) ? 'broken' : 'not ours';
  const said = new Map(entries.map(({ key, value }) => [key, value]));
  if (!['handoff_id', 'from_agent', 'to_agent'].some((key) => said.has(key))) return 'not ours';
  const word = (key: string): string => {
    const value = said.get(key);
    return typeof value === 'string' ? value : '';
  };
  const id = readHandoffId(word('handoff_id'));
  const isNamed = id !== null && idInFileName(fileNameOf(id)) !== null;
  const parties = ['from_agent', 'to_agent'].filter((key) => readAgentId(word(key)) !== null).length;
  // Other systems have a `handoff_id` too, in notes without a sender and a recipient.
  if (isNamed || parties === 2 || (id !== null && parties === 1)) return 'document';
  return id === null ? 'a form' : 'not ours';
}

function looksLikeHandoff(head: readonly string[]): boolean {
  const has = (key: string, value = String.raw`[^ \t{<$\[]`): boolean =>
    head.some((line) => new RegExp(`^${key}[ \\t]*:[ \\t]*${value}`).test(line));
  const parties = ['from_agent', 'to_agent'].filter((key) => has(key)).length;
  return has('handoff_id', String.raw`["']?handoff-`) || parties === 2 || (has('handoff_id') && parties === 1);
}

/** A sender and a recipient, each with a name, and a task or a status, in one front matter or at the head of one body. */
function isOlderForm(text: string): boolean {
  const found = findFrontMatter(text);
  const parts =
    found.kind === 'found' ? [text.slice(found.at.from, found.at.to), text.slice(found.at.bodyFrom)] : [text];
  return parts.some((part) => {
    const head = headOf(part);
    const has = (names: string, value: string): boolean => {
      const field = new RegExp(`^(?:[-*#>]+ +)?\\*{0,2}(?:${names})\\*{0,2}[ \\t]*:\\*{0,2}[ \\t]*${value}`, 'i');
      return head.some((line) => field.test(line));
    };
    return (
      has('from|from_agent|from agent', AGENT) &&
      has('to|to_agent|to agent|assigned_to|assigned to', AGENT) &&
      has('status|task|task_id|task id|related_task|created|date', String.raw`[^ \t{<$\[]`)
    );
  });
}

/** The name of an agent, perhaps with its role in brackets. */
const AGENT = String.raw`["']?@?[A-Za-z0-9][\w.-]*["']?[ \t]*(?:\([^)]*\))?[ \t]*$`;

/** The first lines that are not quoted as code. */
function headOf(text: string): readonly string[] {
  // Fields are short, and patterns take long on long lines.
  const lines = text.split(/\r?\n/, HEAD_LINES).map((line) => line.slice(0, LINE_CHARS_MAX));
  let fence: string | null = null;
  return lines.filter((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark === undefined) return fence === null;
    if (fence === null) fence = mark;
    else if (mark.startsWith(fence)) fence = null;
    return false;
  });
}
