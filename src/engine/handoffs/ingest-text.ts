/**
 * A text in, an answer for each of its blocks out: the one function for files, for standard input, for the server and
 * for an agent's hook.
 *
 * Blocks are taken in their order, each for itself: one that is refused or cannot be read holds up no other. Blocks of
 * agents that do not concern each other are taken at the same time. What the agent did not say itself (a quotation, a
 * tool's result) is reported and not obeyed. A file without a block may hold a handoff in a legacy form; the text of a
 * session may not, because ordinary conversation would be taken for one.
 */
import { readAgentId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Summary, SummarySource } from '../../domain/summary.ts';
import { findBlocks } from '../../formats/summary-block/find.ts';
import { contentOf } from '../../formats/summary-block/identity.ts';
import { acts, type BlockPlace, type FoundBlock } from '../../formats/summary-block/found-block.ts';
import { readBlock, type BlockFields, type BlockProblem } from '../../formats/summary-block/read.ts';
import type { Form, LegacyReading, Sureness } from '../../formats/legacy/legacy-reading.ts';
import { blockInFile } from '../../formats/summary-block/whole-file.ts';
import { findInTranscript, isTranscript, lastWords } from '../../formats/summary-block/transcript.ts';
import { readWeak } from '../../formats/summary-block/plain-report.ts';
import { runConcurrently } from '../run-concurrently.ts';
import { fileKeys, keyMaker, type BlockKeys } from '../summaries/block-keys.ts';
import { defined } from '../../foundation/defined.ts';
import { freeHeldBack } from '../summaries/held-legs.ts';
import type { OldText } from '../summaries/old-texts.ts';
import { isObeyed, REPORT_RULES, reportRules, type ReportRule } from '../summaries/report-rules.ts';
import type { Context } from '../context.ts';
import { ingest, knownBefore, type Ingested, type IngestRefusal, type IngestRequest } from './ingest.ts';

export interface TextToIngest {
  readonly text: string;
  /** Markdown, or a transcript of JSON lines, whose blocks know their own session and turn. */
  readonly source: { readonly file: string } | { readonly session: string; readonly turn: string };
  /** For blocks that name none. */
  readonly project: string;
  readonly strict?: boolean;
  /** Only say what would be taken. */
  readonly preview?: boolean;
  readonly held?: IngestRequest['held'];
  readonly fence?: IngestRequest['fence'];
  /** Called after each block. */
  readonly progress?: (done: number, of: number) => void;
  /** No further block is begun; what has not been answered can be asked for again. */
  readonly signal?: AbortSignal;
}

/**
 * - `done`: it was taken, and `ingested` says what was done.
 * - `known`: it was taken before.
 * - `ready`: it would be taken; nothing was done, because only that was asked.
 * - `quoted`: a quotation, or an example of a block.
 * - `unclear`: nothing can follow from it; `says` tells why.
 * - `nothing`: a file in which nothing is handed over; `says` tells how that was seen.
 */
type BlockFate = 'done' | 'known' | 'ready' | 'quoted' | 'unclear' | 'invalid' | 'refused' | 'nothing';

export interface BlockAnswer {
  readonly index: number;
  readonly line: number;
  readonly column: number;
  readonly place: BlockPlace;
  /** Why it was taken for a report, or for an example; null for what is no block. */
  readonly rule: ReportRule | null;
  readonly fate: BlockFate;
  readonly from: string | null;
  readonly to: string | null;
  readonly status: string | null;
  readonly problems: readonly BlockProblem[];
  readonly warnings: readonly BlockProblem[];
  readonly ingested?: Ingested;
  readonly refusal?: IngestRefusal;
  readonly says?: string;
  /** Of a handoff in a form of its own. */
  readonly legacy?: { readonly form: Form; readonly sure: Sureness | 'no'; readonly because: string };
}

export async function ingestText(
  ctx: Context,
  principal: Principal,
  request: TextToIngest,
): Promise<readonly BlockAnswer[]> {
  const blocks = readAll(request);
  const beside = new Set(blocks.map(({ content }) => content));
  const old = blocks.some(({ answer }) => answer.place === 'top') ? [] : await oldTexts(request, blocks.length);
  const all = [...blocks, ...old];
  let done = 0;
  const answers = await runConcurrently<ReadBlock | OldText, BlockAnswer>(all, {
    touches: (each) => ('reading' in each ? 'everything' : touchedBy(each, principal, request)),
    goesOn: () => request.signal?.aborted !== true,
    act: async (each) => {
      const answer =
        'reading' in each
          ? await answerForOld(ctx, principal, request, each)
          : await answerFor(ctx, principal, request, each, beside);
      done += 1;
      request.progress?.(done, all.length);
      return answer;
    },
  });
  // Also after a known block: the process that took it may have died before this step.
  if (answers.some(({ fate }) => fate === 'done' || fate === 'known')) await freeHeldBack(ctx, 'all');
  return answers;
}

/** Only files hold them. What reads them takes 10 ms to load, and agents' hooks come here at the end of a turn. */
async function oldTexts(request: TextToIngest, before: number): Promise<readonly OldText[]> {
  return 'file' in request.source ? (await import('../summaries/old-texts.ts')).oldTextsIn(request, before) : [];
}

/**
 * Whose legs it looks for, settles or opens. One that names a leg, waits for tasks or fails may lead anywhere: to another
 * agent's leg, to whatever belongs to a task, along a whole chain.
 */
function touchedBy(
  { acts: isOwn, fields }: ReadBlock,
  principal: Principal,
  { held }: TextToIngest,
): readonly string[] | 'everything' {
  if (!isOwn || fields === null) return [];
  const { status, leg, to, dependencies, from } = fields;
  const speaker = from ?? (principal.kind === 'agent' ? principal.agent : null);
  const goesOn = status === 'complete' || status === 'in_progress';
  if (speaker === null || !goesOn || leg !== null || held !== undefined) return 'everything';
  if (to === null) return [nameOf(speaker)];
  return dependencies.length > 0 ? 'everything' : [nameOf(speaker), nameOf(to)];
}

function nameOf(agent: string): string {
  return readAgentId(agent) ?? agent;
}

interface ReadBlock {
  readonly answer: Omit<BlockAnswer, 'fate'>;
  readonly acts: boolean;
  readonly fields: BlockFields | null;
  readonly source: SummarySource;
  readonly keys: BlockKeys;
  readonly content: string;
  /** What the agent said before its block. */
  readonly prose: string;
}

function readAll({ text, source, strict = false }: TextToIngest): readonly ReadBlock[] {
  const transcript = isTranscript(text);
  const whole = 'file' in source ? blockInFile(text, source.file) : null;
  const found = transcript ? findInTranscript(text) : whole === null ? findBlocks(text) : [whole];
  const rules = reportRules(found, source);
  const keysOf = keyMaker();
  const read = (
    at: Pick<BlockAnswer, 'index' | 'line' | 'column' | 'place' | 'rule'> & Pick<FoundBlock, 'said'>,
    words: { readonly text: string; readonly yaml: string; readonly before: string; readonly prose: string },
    { fields, problems, warnings }: Pick<BlockAnswer, 'problems' | 'warnings'> & Pick<ReadBlock, 'fields'>,
  ): ReadBlock => {
    const { index, line, column, place, rule, said } = at;
    const { from = null, to = null, status = null } = fields ?? {};
    const content = contentOf(words.yaml);
    const where = sourceOf(source, { index, said });
    return {
      answer: { index, line, column, place, rule, from, to, status, problems, warnings },
      acts: rule !== null && isObeyed(rule),
      fields,
      source: where,
      content,
      keys: keysOf({ content, prose: words.before, text: words.text, entry: said?.entry }, where),
      prose: words.prose.trim(),
    };
  };
  const blocks = found.map((block, nth) => {
    const prose = `${block.prose}\n\n${(block.rest ?? '').trim()}`;
    return read(
      { ...block, rule: rules[nth] ?? null },
      { ...block, before: block.prose, prose },
      readBlock(block, { strict }),
    );
  });
  // Where a block was found, nothing weaker is looked for: the text says in its own way what it reports.
  if (found.some(acts)) return blocks;
  const last = transcript ? lastWords(text) : { text, said: null };
  const weak = last === null ? null : readWeak(last.text);
  if (last === null || weak === null) return blocks;
  const { fields, warnings } = weak;
  const rule = last.said === null && 'file' in source ? 'ends-file' : 'ends-message';
  const at = { index: found.length, line: last.said?.line ?? weak.line, column: 1, place: 'top', rule } as const;
  const words = { text: fields.text, yaml: fields.text, before: '', prose: last.text };
  return [...blocks, read({ ...at, said: last.said }, words, { fields, problems: [], warnings })];
}

function sourceOf(source: TextToIngest['source'], { index, said }: Pick<FoundBlock, 'index' | 'said'>): SummarySource {
  if (said === null) return { ...source, index };
  const session = said.session ?? ('file' in source ? source.file : source.session);
  return { session, turn: said.turn, index };
}

async function answerFor(
  ctx: Context,
  principal: Principal,
  { project, held, fence, preview = false }: TextToIngest,
  { answer, acts: isOwn, fields, source, keys, prose }: ReadBlock,
  beside: ReadonlySet<string>,
): Promise<BlockAnswer> {
  if (!isOwn) {
    const { rule } = answer;
    return { ...answer, fate: 'quoted', ...(rule === null ? {} : { says: REPORT_RULES[rule] }) };
  }
  if (fields === null) return { ...answer, fate: 'invalid' };
  const from = fields.from ?? (principal.kind === 'agent' ? principal.agent : null);
  if (from === null) return { ...answer, fate: 'unclear', says: 'it does not name who speaks' };
  const { status } = fields;
  if (status === null) return { ...answer, from, fate: 'unclear', says: 'it has no status that is known' };
  const summary = summaryOf({ ...fields, from, status }, project, source);
  if (preview) return { ...answer, from, fate: (await knownBefore(ctx, keys)) === null ? 'ready' : 'known' };
  const shown = defined({ held, fence: fields.fence ?? fence });
  const request = { summary, keys, prose, beside, leg: fields.leg, waitsFor: fields.waitsFor, ...shown };
  return { ...answer, from, ...fateOf(await ingest(ctx, principal, request)) };
}

function fateOf(done: Awaited<ReturnType<typeof ingest>>): Pick<BlockAnswer, 'fate' | 'refusal' | 'ingested'> {
  if (!done.ok) return { fate: 'refused', refusal: done.refusal };
  return { fate: done.value.did === 'known' ? 'known' : 'done', ingested: done.value };
}

async function answerForOld(
  ctx: Context,
  principal: Principal,
  { project, preview = false }: TextToIngest,
  { reading, index, line, source }: OldText,
): Promise<BlockAnswer> {
  const { sender: from, recipient: to, form, handoff: sure, because } = reading;
  const status = reading.status?.text.slice(0, STATUS_SHOWN) ?? null;
  const warnings = reading.problems.map((each) => ({
    line: line - 1 + each.line,
    column: 1,
    field: '',
    says: each.says,
  }));
  const where = { index, line, column: 1, place: 'top', rule: null } as const;
  const legacy = { form, sure, because };
  const answer = { ...where, from, to, status, problems: [], warnings, legacy };
  if (sure === 'no') return { ...answer, fate: 'nothing', says: because };
  const doubt = doubtOf(reading);
  if (doubt !== null || from === null || to === null) return { ...answer, fate: 'unclear', says: doubt ?? because };
  if (preview) {
    const known = await knownBefore(ctx, fileKeys(reading.text, source));
    return { ...answer, fate: known === null ? 'ready' : 'known' };
  }
  const { ingestLegacy } = await import('./ingest-legacy.ts');
  return { ...answer, ...fateOf(await ingestLegacy(ctx, principal, { reading, from, to, project, source })) };
}

const STATUS_SHOWN = 200;

function doubtOf({ sender, recipient, handoff, because }: LegacyReading): string | null {
  const missing = [...(sender === null ? ['sender'] : []), ...(recipient === null ? ['recipient'] : [])];
  if (missing.length > 0) return `a handoff that names no ${missing.join(' and no ')}`;
  return handoff === 'guess' ? `perhaps a handoff: ${because}` : null;
}

/** Key by key: the format reads more fields of a block than the trail keeps. */
function summaryOf(
  fields: BlockFields & Pick<Summary, 'from' | 'status'>,
  project: string,
  source: SummarySource,
): Summary {
  const { phase, from, to, status, retryCount, metrics, dependencies, onFailure, context, toldAt, form, text } = fields;
  const said = { phase, from, to, status, retryCount, metrics, dependencies, onFailure, context, toldAt, form, text };
  return { project: fields.project ?? project, ...said, source };
}
