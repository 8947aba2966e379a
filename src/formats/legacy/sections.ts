/** The sections of a document whose headings say in known words what they are about. */
import { fencesIn } from './fences.ts';
import { frontMatterOf } from './front-matter.ts';
import { wordOf } from './keys.ts';
import { linesOf } from './lines.ts';
import { plainText } from './plain-text.ts';
import { isStructured, type Field, type LegacyReading } from './legacy-reading.ts';

const ABOUT = {
  purpose:
    /^(?:purpose|goal|goals|objective|objectives|objetivo|objectif|ziel|why|why_this.*|summary|overview|mission|ask|request|requested_actions?|instructions?|목적|목표|요청|요약|目的|目标|概要|цель|задача)$/,
  context:
    /^(?:context|contexto|contexte|kontext|background|situation|current_state|where_we_are|quick_context|배경|상황|맥락|현재_상태|背景|現状|上下文|контекст)$/,
  deliverables:
    /^(?:deliverables?|expected_outputs?|tasks?|todo|to_do|next_steps?|next_actions?|action_required|requested_actions?|actions?|what_remains|remaining(?:_work)?|open_items|steps|scope|산출물|결과물|할_일|다음_단계|남은_작업|成果物|交付物|待办|下一步|результаты|следующие_шаги)$/,
  criteria:
    /^(?:acceptance(?:_criteria)?|verification(?:_criteria)?|success_criteria|definition_of_done|criteria|how_to_verify.*|done_when|checks|완료_조건|완료_기준|검증_기준|完了条件|验收标准|критерии(?:_приемки)?)$/,
} as const;

type Topic = keyof typeof ABOUT;

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
  const found = new Map<Topic, readonly string[]>();
  const start = frontMatterOf(lines)?.end ?? 0;
  const { inside } = fencesIn(lines, start);
  for (let index = start; index < lines.length; index += 1) {
    const heading = inside[index] === true ? null : /^ {0,3}#{1,6}[ \t]+(\S.{0,200})$/.exec(lines[index] ?? '');
    const about = heading === null ? undefined : topicOf(heading[1] ?? '');
    if (about === undefined || found.has(about)) continue;
    const level = levelOf(lines[index] ?? '');
    // A heading of a lower level belongs to the section.
    const end = lines.findIndex(
      (line, at) => at > index && inside[at] !== true && levelOf(line) > 0 && levelOf(line) <= level,
    );
    found.set(about, lines.slice(index + 1, end < 0 ? lines.length : end));
  }
  const listed = (about: Topic): readonly string[] => {
    const named = fieldItems(fields, about);
    const items = named.length > 0 ? named : itemsIn(found.get(about) ?? []);
    return [...new Set(items.map((item) => plainText(item).slice(0, ITEM_MAX)))].filter(Boolean).slice(0, ITEMS_MAX);
  };
  const textAbout = (about: Topic): string | null => {
    const section = (found.get(about) ?? []).join('\n').trim();
    const field = fields.find(({ path }) => topicOf(lastKeyOf(path)) === about);
    const said = section === '' ? (field?.text.trim() ?? '') : section;
    return said === '' ? null : said.slice(0, TEXT_MAX);
  };
  return {
    purpose: textAbout('purpose'),
    context: textAbout('context'),
    deliverables: listed('deliverables'),
    criteria: listed('criteria'),
  };
}

/** 0: no heading. */
function levelOf(line: string): number {
  return /^ {0,3}(#{1,6})[ \t]/.exec(line)?.[1]?.length ?? 0;
}

function lastKeyOf(path: string): string {
  return path.replace(/\[\d+\]$/, '').replace(/^.*\./, '');
}

/** `handoff.deliverables[0]`, `deliverables[1].name` with what else is said of it, or one text for all. */
function fieldItems(fields: readonly Field[], about: Topic): readonly string[] {
  const items = new Map<string, string[]>();
  const texts: string[] = [];
  for (const { path, text, form } of fields) {
    if (text === '' || !isStructured(form)) continue;
    const [, list = '', index = ''] = /^(.*?)\[(\d+)\](?:\.|$)/.exec(path) ?? [];
    if (index !== '' && topicOf(lastKeyOf(list)) === about) {
      const key = `${list}[${index}]`;
      items.set(key, [...(items.get(key) ?? []), text]);
    } else if (index === '' && topicOf(lastKeyOf(path)) === about) texts.push(text);
  }
  if (items.size > 0) return [...items.values()].map((said) => said.join(' — '));
  return texts.flatMap((text) => {
    const listed = itemsIn(text.split('\n'));
    return listed.length > 0 ? listed : [text.replace(/\s+/g, ' ')];
  });
}

function topicOf(heading: string): Topic | undefined {
  const word = wordOf(heading.replace(/^\d+[.)]\s*/, ''));
  return (Object.keys(ABOUT) as Topic[]).find((about) => ABOUT[about].test(word));
}

/** An item goes on over the lines below it that are indented and begin nothing new. */
function itemsIn(lines: readonly string[]): readonly string[] {
  const items: string[] = [];
  let isOpen: boolean = false;
  for (const line of lines) {
    const first = ITEM.exec(line)?.[1];
    const isContinued: boolean = isOpen && /^[ \t]+\S/.test(line);
    if (first !== undefined) items.push(first);
    else if (isContinued) items.push(`${items.pop() ?? ''} ${line.trim()}`);
    isOpen = first !== undefined || isContinued;
  }
  if (items.length > 0) return items;
  const rows = lines.flatMap((line) => ROW.exec(line)?.[1]?.trim() ?? []);
  return rows.slice(1).filter((cell) => !/^:?-+:?$/.test(cell));
}
