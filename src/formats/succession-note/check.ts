/** Scores a succession document: its sections, and the files that it names. */
import { SECTIONS, type SectionTitle } from './sections.ts';

export interface DocumentCheck {
  /** From 0 to 100: ten points for each section that says something, forty for named files that exist. */
  readonly score: number;
  readonly missing: readonly SectionTitle[];
  readonly empty: readonly SectionTitle[];
  /** Paths that the document names. */
  readonly named: readonly string[];
  readonly absent: readonly string[];
}

const SECTION_POINTS = 10;
const FILES_POINTS = 40;
/** Only the first paths are checked; a longer list is an inventory. */
const NAMED_MAX = 100;
const TEXT_MAX = 1_024 * 1_024;

export function checkDocument(text: string, exists: (path: string) => boolean): DocumentCheck {
  const bodies = bodiesOf(text.slice(0, TEXT_MAX));
  const missing = SECTIONS.filter(({ title }) => !bodies.has(title)).map(({ title }) => title);
  const empty = SECTIONS.filter(({ title }) => bodies.get(title)?.trim() === '').map(({ title }) => title);
  const named = pathsIn(text.slice(0, TEXT_MAX));
  const absent = named.filter((path) => !exists(path));
  const forSections = SECTION_POINTS * (SECTIONS.length - missing.length - empty.length);
  const forFiles = named.length === 0 ? FILES_POINTS : Math.round(FILES_POINTS * (1 - absent.length / named.length));
  return { score: forSections + (text.trim() === '' ? 0 : forFiles), missing, empty, named, absent };
}

/** A complete document counts as finished even if the agent does not say so. */
export function isWhole({ missing, empty }: DocumentCheck): boolean {
  return missing.length === 0 && empty.length === 0;
}

/** The text below each recognized heading, up to the next heading. */
function bodiesOf(text: string): ReadonlyMap<SectionTitle, string> {
  const bodies = new Map<SectionTitle, string>();
  let open: SectionTitle | null = null;
  for (const line of text.split(/\r?\n/)) {
    const heading = headingOf(line);
    if (heading === null) {
      if (open !== null) bodies.set(open, `${bodies.get(open) ?? ''}${line}\n`);
      continue;
    }
    const found = SECTIONS.find(({ title, known }) => !bodies.has(title) && known.test(heading));
    open = found?.title ?? (isDeep(line) ? open : null);
    if (found !== undefined) bodies.set(found.title, '');
  }
  return bodies;
}

/** `## Title`, `## 3. Title` or a line in bold type. */
function headingOf(line: string): string | null {
  const found = /^ {0,3}#{1,6}\s+(.+?)\s*#*$/.exec(line) ?? /^\*\*([^*]{2,80})\*\*:?\s*$/.exec(line);
  return found?.[1] ?? null;
}

function isDeep(line: string): boolean {
  return /^ {0,3}#{3,6}\s/.test(line);
}

/** Words in code marks, and items of lists, that look like paths of files. */
function pathsIn(text: string): readonly string[] {
  const marked = [...text.matchAll(/`([^`\n]{1,300})`/g)].map(([, word = '']) => word);
  const listed = [...text.matchAll(/^\s*[-*]\s+((?:[\w.-]+\/)+[\w.-]+\.\w{1,8})\b/gm)].map(([, word = '']) => word);
  const paths = [...marked, ...listed].map(pathIn).filter((path) => path !== null);
  return [...new Set(paths)].slice(0, NAMED_MAX);
}

/** With or without a line number behind it. Only a word with a folder and an ending is surely a path. */
function pathIn(word: string): string | null {
  const path = word.trim().replace(/:\d+(?:[-:]\d+)?$/, '');
  const looksLike = /^(?:\.{0,2}\/)?(?:[\w@.+-]+\/)+[\w@.+-]+\.[A-Za-z]\w{0,7}$/.test(path);
  return looksLike && !path.includes('..') ? path.replace(/^\.\//, '') : null;
}
