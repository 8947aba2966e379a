/** The handoffs that a file holds in forms of their own: mostly one, and one per line where it is lines of JSON. */
import type { LegacyReading } from '../../formats/legacy/legacy-reading.ts';
import { readLegacy } from '../../formats/legacy/read.ts';
import { isTranscript, lastWords } from '../../formats/summary-block/transcript.ts';
import type { SummarySource } from '../../domain/summary.ts';

export interface OldText {
  readonly reading: LegacyReading;
  readonly index: number;
  /** Where it begins, or where it says from whom it is. */
  readonly line: number;
  readonly source: Extract<SummarySource, { readonly file: string }>;
}

interface Asked {
  readonly text: string;
  readonly source: { readonly file: string } | { readonly session: string; readonly turn: string };
  readonly strict?: boolean;
}

/** More than this is a database, and `baton import` is for those. */
const LINES_MAX = 10_000;

/** `before`: so many blocks were found that are only words about blocks; then a text that is no handoff needs no answer. */
export function oldTextsIn({ text, source, strict = false }: Asked, before: number): readonly OldText[] {
  if (strict || !('file' in source)) return [];
  if (isTranscript(text) && lastWords(text) !== null) return [];
  const { file } = source;
  const texts = textsIn(text, file).map(({ text: each, line }, nth): OldText => {
    const reading = readLegacy(each, file);
    const index = before + nth;
    const place = reading.from?.line ?? reading.to?.line ?? 1;
    return { reading, index, line: line + Math.max(place - 1, 0), source: { file, index } };
  });
  const isWorthTelling = ({ reading }: OldText): boolean => reading.handoff !== 'no';
  if (before > 0 || texts.some(isWorthTelling)) return texts.filter(isWorthTelling);
  return texts.slice(0, 1);
}

function textsIn(text: string, file: string): readonly { readonly text: string; readonly line: number }[] {
  if (!/\.(?:jsonl|ndjson)$/i.test(file)) return [{ text, line: 1 }];
  const lines = text.split('\n').map((each, at) => ({ text: each, line: at + 1 }));
  const said = lines.filter((each) => each.text.trim() !== '');
  // Lines that are not objects one by one are one text that goes over several.
  const isLines = said.length <= LINES_MAX && said.every((each) => /^\s*\{.*\}\s*$/.test(each.text));
  return isLines && said.length > 0 ? said : [{ text, line: 1 }];
}
