/** The sections of a document by what they are about, as far as their headings say it in words that are known. */
import { fencesIn } from './fences.ts';
import { frontMatterOf } from './front-matter.ts';
import { wordOf } from './keys.ts';
import { linesOf } from './lines.ts';
import { plainText } from './plain-text.ts';
import type { LegacyReading } from './reading.ts';

const ABOUT = {
  purpose:
    /^(?:purpose|goal|goals|objective|objectives|objetivo|objectif|ziel|why|why_this.*|summary|overview|mission|ask|request)$/,
  context: /^(?:context|contexto|contexte|kontext|background|situation|current_state|where_we_are|quick_context)$/,
  deliverables:
    /^(?:deliverables?|tasks?|todo|to_do|next_steps?|next_actions?|action_required|actions?|what_remains|remaining(?:_work)?|open_items|steps|scope)$/,
  criteria:
    /^(?:acceptance(?:_criteria)?|verification(?:_criteria)?|success_criteria|definition_of_done|criteria|how_to_verify.*|done_when|checks)$/,
} as const;

export interface Sections {
  readonly purpose: string | null;
  readonly context: string | null;
  readonly deliverables: readonly string[];
  readonly criteria: readonly string[];
}

const TEXT_MAX = 8_000;
const ITEM_MAX = 500;
const ITEMS_MAX = 100;
const ITEM = /^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)$/;
const ROW = /^\s*\|([^|]+)\|/;

export function sectionsOf({ text, fields }: LegacyReading): Sections {
  const lines = linesOf(text);
  const found = new Map<keyof typeof ABOUT, readonly string[]>();
  const start = frontMatterOf(lines)?.end ?? 0;
  const { inside } = fencesIn(lines, start);
  for (let index = start; index < lines.length; index += 1) {
    const heading = inside[index] === true ? null : /^ {0,3}#{1,6}[ \t]+(\S.{0,200})$/.exec(lines[index] ?? '');
    const about = heading === null ? undefined : topicOf(heading[1] ?? '');
    if (about === undefined || found.has(about)) continue;
    const end = lines.findIndex((line, at) => at > index && inside[at] !== true && /^ {0,3}#{1,6}[ \t]/.test(line));
    found.set(about, lines.slice(index + 1, end < 0 ? lines.length : end));
  }
  const listed = (about: keyof typeof ABOUT): readonly string[] => {
    const named = fields.filter(({ path }) => /\[\d+\]$/.test(path) && topicOf(path.replace(/\[\d+\]$/, '')) === about);
    const items = named.length > 0 ? named.map((field) => field.text) : itemsIn(found.get(about) ?? []);
    return [...new Set(items.map((item) => plainText(item).slice(0, ITEM_MAX)))].filter(Boolean).slice(0, ITEMS_MAX);
  };
  const told = (about: keyof typeof ABOUT): string | null => {
    const section = (found.get(about) ?? []).join('\n').trim();
    const field = fields.find(({ path }) => topicOf(path.replace(/^.*\./, '')) === about);
    const said = section === '' ? (field?.text.trim() ?? '') : section;
    return said === '' ? null : said.slice(0, TEXT_MAX);
  };
  return {
    purpose: told('purpose'),
    context: told('context'),
    deliverables: listed('deliverables'),
    criteria: listed('criteria'),
  };
}

function topicOf(heading: string): keyof typeof ABOUT | undefined {
  const word = wordOf(heading.replace(/^\d+[.)]\s*/, ''));
  return (Object.keys(ABOUT) as (keyof typeof ABOUT)[]).find((about) => ABOUT[about].test(word));
}

function itemsIn(lines: readonly string[]): readonly string[] {
  const items = lines.flatMap((line) => ITEM.exec(line)?.[1] ?? []);
  if (items.length > 0) return items;
  const rows = lines.flatMap((line) => ROW.exec(line)?.[1]?.trim() ?? []);
  return rows.slice(1).filter((cell) => !/^:?-+:?$/.test(cell));
}
