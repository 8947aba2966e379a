/** The legacy handoffs in a file: usually one; in JSON lines, one per line. */
import type { LegacyReading } from '../../formats/legacy/legacy-reading.ts';
import { readLegacy } from '../../formats/legacy/read.ts';
import { isTranscript, lastAgentMessage } from '../../formats/summary-block/transcript.ts';
import type { SummarySource } from '../../domain/summary.ts';

export interface LegacyText {
  readonly reading: LegacyReading;
  readonly index: number;
  /** The line that names the sender, otherwise its first line. */
  readonly line: number;
  readonly source: Extract<SummarySource, { readonly file: string }>;
}

interface IngestedText {
  readonly text: string;
  readonly source: { readonly file: string } | { readonly session: string; readonly turn: string };
  readonly strict?: boolean;
}

/** For larger files use `baton import`. */
const LINES_MAX = 10_000;

/** `before`: how many blocks the text has that are no reports. If there are any, a text that is no handoff is not reported. */
export function legacyTextsIn({ text, source, strict = false }: IngestedText, before: number): readonly LegacyText[] {
  if (strict || !('file' in source)) return [];
  if (isTranscript(text) && lastAgentMessage(text) !== null) return [];
  const { file } = source;
  const texts = textsIn(text, file).map(({ text: each, line }, nth): LegacyText => {
    const reading = readLegacy(each, file);
    const index = before + nth;
    const place = reading.from?.line ?? reading.to?.line ?? 1;
    return { reading, index, line: line + Math.max(place - 1, 0), source: { file, index } };
  });
  const isWorthReporting = ({ reading }: LegacyText): boolean => reading.handoff !== 'no';
  if (before > 0 || texts.some(isWorthReporting)) return texts.filter(isWorthReporting);
  return texts.slice(0, 1);
}

function textsIn(text: string, file: string): readonly { readonly text: string; readonly line: number }[] {
  if (!/\.(?:jsonl|ndjson)$/i.test(file)) return [{ text, line: 1 }];
  const lines = text.split('\n').map((each, at) => ({ text: each, line: at + 1 }));
  const said = lines.filter((each) => each.text.trim() !== '');
  // If not every line is an object, the file is one text.
  const isLines = said.length <= LINES_MAX && said.every((each) => /^\s*\{.*\}\s*$/.test(each.text));
  return isLines && said.length > 0 ? said : [{ text, line: 1 }];
}
