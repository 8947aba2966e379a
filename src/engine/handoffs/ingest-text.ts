/**
 * Ingests a text and returns an answer for each of its summary blocks: for files, standard input, the server and hooks of
 * agents.
 *
 * Blocks are ingested in order, each on its own: a refused or unreadable block does not stop the others. Blocks of unrelated
 * agents are ingested concurrently. Text that is not the agent's own (a quotation, the result of a tool) is reported and
 * not obeyed. A file without blocks may contain a handoff in a legacy form; the text of a session may not, because ordinary
 * conversation would be taken for one.
 */
import { readAgentId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Summary, SummarySource } from '../../domain/summary.ts';
import { findBlocks } from '../../formats/summary-block/find.ts';
import { contentOf } from '../../formats/summary-block/identity.ts';
import { isActive, type BlockPlace, type FoundBlock } from '../../formats/summary-block/found-block.ts';
import { readBlock, type BlockFields, type BlockProblem } from '../../formats/summary-block/read.ts';
import type { Form, LegacyReading, Confidence } from '../../formats/legacy/legacy-reading.ts';
import { blockInFile } from '../../formats/summary-block/whole-file.ts';
import { findInTranscript, isTranscript, lastAgentMessage } from '../../formats/summary-block/transcript.ts';
import { readPlainReport } from '../../formats/summary-block/plain-report.ts';
import { runConcurrently } from '../run-concurrently.ts';
import { fileKeys, keyMaker, type BlockKeys } from '../summaries/block-keys.ts';
import { defined } from '../../foundation/defined.ts';
import { unblockMetTasks } from '../summaries/task-dependencies.ts';
import type { LegacyText } from '../summaries/legacy-texts.ts';
import { isAccepted, REPORT_RULES, reportRules, type ReportRule } from '../summaries/report-rules.ts';
import type { Context } from '../context.ts';
import { ingest, knownBefore, type Ingested, type IngestRefusal, type IngestRequest } from './ingest.ts';

export interface TextToIngest {
  readonly text: string;
  /** Markdown, or a transcript of JSON lines, whose blocks know their own session and turn. */
  readonly source: { readonly file: string } | { readonly session: string; readonly turn: string };
  /** The project of blocks that name none. */
  readonly project: string;
  readonly strict?: boolean;
  /** Only report what would be ingested. */
  readonly preview?: boolean;
  readonly held?: IngestRequest['held'];
  readonly fence?: IngestRequest['fence'];
  /** Called after each block. */
  readonly progress?: (done: number, of: number) => void;
  /** Aborted: no further block is started. Blocks without an answer can be ingested again. */
  readonly signal?: AbortSignal;
}

/**
 * - `done`: it was ingested; `ingested` has the result.
 * - `known`: it was ingested before.
 * - `ready`: it would be ingested (`preview`).
 * - `quoted`: a quotation, or an example of a block.
 * - `unclear`: it has no consequence; `says` has the reason.
 * - `nothing`: a file without a handoff; `says` has the reason.
 */
type BlockOutcome = 'done' | 'known' | 'ready' | 'quoted' | 'unclear' | 'invalid' | 'refused' | 'nothing';

export interface BlockAnswer {
  readonly index: number;
  readonly line: number;
  readonly column: number;
  readonly place: BlockPlace;
  /** Why it counts as a report, or as an example. Null: it is not a block. */
  readonly rule: ReportRule | null;
  readonly fate: BlockOutcome;
  readonly from: string | null;
  readonly to: string | null;
  readonly status: string | null;
  readonly problems: readonly BlockProblem[];
  readonly warnings: readonly BlockProblem[];
  readonly ingested?: Ingested;
  readonly refusal?: IngestRefusal;
  readonly says?: string;
  /** Of a handoff in a legacy form. */
  readonly legacy?: { readonly form: Form; readonly sure: Confidence | 'no'; readonly because: string };
}

export async function ingestText(
  ctx: Context,
  principal: Principal,
  request: TextToIngest,
): Promise<readonly BlockAnswer[]> {
  const blocks = readAll(request);
  const blockTexts = new Set(blocks.map(({ content }) => content));
  const old = blocks.some(({ answer }) => answer.place === 'top') ? [] : await oldTexts(request, blocks.length);
  const all = [...blocks, ...old];
  let done = 0;
  const answers = await runConcurrently<ReadBlock | LegacyText, BlockAnswer>(all, {
    touches: (each) => ('reading' in each ? 'everything' : touchedBy(each, principal, request)),
    shouldContinue: () => request.signal?.aborted !== true,
    act: async (each) => {
      const answer =
        'reading' in each
          ? await answerForOld(ctx, principal, request, each)
          : await answerFor(ctx, principal, request, each, blockTexts);
      done += 1;
      request.progress?.(done, all.length);
      return answer;
    },
  });
  // Also after a known block: the process that ingested it may have died before this step.
  if (answers.some(({ fate }) => fate === 'done' || fate === 'known')) await unblockMetTasks(ctx, 'all');
  return answers;
}

/** Only files contain them. Their reader takes 10 ms to load, and hooks of agents call this at the end of a turn. */
async function oldTexts(request: TextToIngest, before: number): Promise<readonly LegacyText[]> {
  return 'file' in request.source ? (await import('../summaries/legacy-texts.ts')).legacyTextsIn(request, before) : [];
}

/**
 * The agents whose legs a block reads, settles or opens. A block that names a leg, waits for tasks or fails may affect any:
 * the leg of another agent, all legs of a task, or a whole chain.
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
      acts: rule !== null && isAccepted(rule),
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
  // A text with a block is not searched for plain reports.
  if (found.some(isActive)) return blocks;
  const last = transcript ? lastAgentMessage(text) : { text, said: null };
  const weak = last === null ? null : readPlainReport(last.text);
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
  blockTexts: ReadonlySet<string>,
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
  const request = { summary, keys, prose, blockTexts, leg: fields.leg, waitsFor: fields.waitsFor, ...shown };
  return { ...answer, from, ...outcomeOf(await ingest(ctx, principal, request)) };
}

function outcomeOf(done: Awaited<ReturnType<typeof ingest>>): Pick<BlockAnswer, 'fate' | 'refusal' | 'ingested'> {
  if (!done.ok) return { fate: 'refused', refusal: done.refusal };
  return { fate: done.value.did === 'known' ? 'known' : 'done', ingested: done.value };
}

async function answerForOld(
  ctx: Context,
  principal: Principal,
  { project, preview = false }: TextToIngest,
  { reading, index, line, source }: LegacyText,
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
  return { ...answer, ...outcomeOf(await ingestLegacy(ctx, principal, { reading, from, to, project, source })) };
}

const STATUS_SHOWN = 200;

function doubtOf({ sender, recipient, handoff, because }: LegacyReading): string | null {
  const missing = [...(sender === null ? ['sender'] : []), ...(recipient === null ? ['recipient'] : [])];
  if (missing.length > 0) return `a handoff that names no ${missing.join(' and no ')}`;
  return handoff === 'guess' ? `perhaps a handoff: ${because}` : null;
}

/** Copies single fields, because the format has more fields than the trail keeps. */
function summaryOf(
  fields: BlockFields & Pick<Summary, 'from' | 'status'>,
  project: string,
  source: SummarySource,
): Summary {
  const { phase, from, to, status, retryCount, metrics, dependencies, onFailure, context, toldAt, form, text } = fields;
  const said = { phase, from, to, status, retryCount, metrics, dependencies, onFailure, context, toldAt, form, text };
  return { project: fields.project ?? project, ...said, source };
}
