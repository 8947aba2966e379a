/** Reads a handoff in any form. Never fails: every text gives a reading that holds the text. */
import { agentOf } from './agents.ts';
import { chooseFields, type Chosen } from './choose-value.ts';
import { instantOf } from './dates.ts';
import { readName, type FileNameReading } from './file-name.ts';
import { frontMatterOf } from './front-matter.ts';
import { jsonFields } from './json-fields.ts';
import { detectHandoff } from './detect-handoff.ts';
import { isBinary, linesOf, TEXT_MAX, withoutMark } from './lines.ts';
import { looseFields } from './loose-keys.ts';
import { markdownFields, type MarkdownFields } from './markdown-fields.ts';
import { isPlaceholder, plainText } from './plain-text.ts';
import type { Field, Form, Found, LegacyReading } from './legacy-reading.ts';
import { stateOf } from './status-words.ts';
import { yamlFields } from './yaml-fields.ts';

/** `name` is the path of the file; it counts only for what the text does not say. */
export function readLegacy(text: string, name = ''): LegacyReading {
  const said = readName(name);
  const gathered = gather(text, name);
  const chosen = fillRoles(chooseFields(gathered.fields, gathered.headEnd), gathered, said);
  const title = chosen.title?.text ?? '';
  const { handoff, because } = detectHandoff(chosen, gathered.fields, gathered.title?.text ?? title, said);
  const { from, to, status, created } = chosen;
  return {
    ...chosen,
    form: mainForm(gathered),
    handoff,
    because,
    sender: from === null ? null : agentOf(from.text),
    recipient: to === null ? null : agentOf(to.text),
    state: status === null || isPlaceholder(status.text) ? null : stateOf(status.text),
    createdAt: created === null ? null : instantOf(created.text),
    fields: gathered.fields,
    problems: gathered.problems,
    text,
  };
}

const NOTHING: MarkdownFields = { fields: [], problems: [], title: null, headEnd: 1 };

function gather(whole: string, name: string): MarkdownFields {
  const refuse = (says: string): MarkdownFields => ({ ...NOTHING, problems: [{ line: 1, says }] });
  if (whole.length > TEXT_MAX) return refuse(`larger than ${TEXT_MAX} characters; kept, not read`);
  if (isBinary(whole)) return refuse('not a text; kept, not read');
  const text = withoutMark(whole);
  if (/\.(?:json|jsonl|ndjson|jsonc)$/i.test(name) || /^\s*\{\s*["}]/.test(text)) {
    return { ...NOTHING, ...jsonFields(text), headEnd: Infinity };
  }
  if (/\.ya?ml$/i.test(name)) {
    const read = yamlFields(text.replaceAll('\r\n', '\n'), 1, 'yaml');
    return { ...NOTHING, ...read, fields: [...read.fields, ...commentFields(text)], headEnd: Infinity };
  }
  const lines = linesOf(text);
  const front = frontMatterOf(lines);
  const head = front === null ? null : yamlFields(front.text, front.line, 'front-matter');
  const rest = markdownFields(lines, front?.end ?? 0);
  if (head === null) return rest;
  return { ...rest, fields: [...head.fields, ...rest.fields], problems: [...head.problems, ...rest.problems] };
}

/** Fields in the comments at the top of a YAML file. */
function commentFields(text: string): readonly Field[] {
  const lines = linesOf(text).slice(0, 40);
  const end = lines.findIndex((line) => line.trim() !== '' && !/^\s*(?:#|---)/.test(line));
  const comments = lines.slice(0, end < 0 ? lines.length : end).map((line) => line.replace(/^\s*#+\s?/, ''));
  return looseFields(comments.join('\n'), 1, 'comment').map((field) => ({ ...field, path: field.key }));
}

/** Fills roles without a field from the title, and then from the name of the file. */
function fillRoles(chosen: Chosen, { title, fields }: MarkdownFields, name: FileNameReading): Chosen {
  const route = fields.find(({ key, text }) => ROUTE.test(key) && text.length < 200) ?? null;
  const arrow = arrowIn(chosen.from) ?? arrowIn(route) ?? arrowIn(title) ?? wordsIn(title);
  const headline = title === null ? null : { ...title, sure: 'certain' as const };
  const isArrow = arrow !== null && (chosen.from === null || arrow.at === chosen.from.line);
  return {
    ...chosen,
    from: isArrow ? arrow.from : (chosen.from ?? named('from', name.from)),
    to: chosen.to ?? arrow?.to ?? named('to', name.to),
    created: chosen.created ?? dayNamed(name),
    title: chosen.title?.sure === 'certain' ? chosen.title : (headline ?? chosen.title),
    task: chosen.task ?? taskIn(title) ?? taskIn(chosen.id),
  };
}

const ROUTE = /^(?:agents?|direction|route|flow|hand-?off|hand-?over|transfer|transition)$/i;

interface Arrow {
  readonly from: Found;
  readonly to: Found;
  readonly at: number;
}

/** `Handoff: Claude → Codex`, `From: QA → To: Writer`. */
function arrowIn(field: Field | null): Arrow | null {
  if (field === null || !/→|->|=>|➜|➡/.test(field.text)) return null;
  const parts = field.text.slice(0, 300).split(/\s*(?:→|->|=>|➜|➡️?)\s*/);
  const left = plainText((parts[0] ?? '').replace(/^.*[:：—–]\s*/, ''));
  const right = plainText((parts[1] ?? '').replace(/^to\s*[:：]\s*/i, '').split(/\s[—–-]\s|[:：(,]/, 1)[0] ?? '');
  if (parts.length !== 2 || agentOf(left) === null || agentOf(right) === null) return null;
  // Two short names; anything longer is a sentence with an arrow in it.
  if (left.split(' ').length > 2 || right.split(' ').length > 2) return null;
  const found = (text: string): Found => ({ ...field, text, sure: field.form === 'heading' ? 'guess' : 'likely' });
  return { from: found(left), to: found(right), at: field.line };
}

/** `Handoff from Claude to Codex: fix the login`. */
function wordsIn(title: Field | null): Arrow | null {
  const [, from = '', to = ''] =
    /\bfrom ([\w.@-]{2,40}) to ([\w.@-]{2,40})/i.exec(title?.text.slice(0, 200) ?? '') ?? [];
  if (title === null || agentOf(from) === null || agentOf(to) === null || !/hand-?(?:off|over)/i.test(title.text))
    return null;
  return { from: { ...title, text: from, sure: 'guess' }, to: { ...title, text: to, sure: 'guess' }, at: title.line };
}

/** Only at the beginning; further on a task is only mentioned. */
const TASK =
  /^\W*(?:(?:hand-?off|hand-?over|task|ticket)\b[^A-Za-z0-9]*)?([A-Z][A-Z0-9]{0,9}(?:-\d{4})?-\d{1,6})(?![\w-])/i;

function taskIn(field: Field | null): Found | null {
  const text = field === null ? undefined : TASK.exec(field.text.slice(0, 300))?.[1];
  return field === null || text === undefined ? null : { ...field, text, sure: 'guess' };
}

function named(key: string, text: string | null): Found | null {
  return text === null ? null : { key, path: key, text, line: 0, form: 'file-name', sure: 'guess' };
}

function dayNamed({ createdAt }: FileNameReading): Found | null {
  return createdAt === null
    ? null
    : named('created', new Date(createdAt).toISOString().replace(/T00:00:00\.000Z$/, ''));
}

function mainForm({ fields }: MarkdownFields): Form {
  const counts = new Map<Form, number>();
  for (const { form } of fields) counts.set(form, (counts.get(form) ?? 0) + (form === 'front-matter' ? 3 : 1));
  counts.delete('heading');
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 'free-text';
}
