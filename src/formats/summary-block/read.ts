/**
 * Reads a found block, with every problem at its place. Strict reading accepts only a block that follows the schema. Lenient
 * reading accepts what can be understood without guessing and warns of the rest: a wrong reading is worse than a block that
 * is handed back.
 */
import type { Json, JsonObject } from '../../foundation/json.ts';
import { PHASES, SUMMARY_STATUSES, type Summary, type SummaryStatus } from '../../domain/summary.ts';
import { BLOCK_CHARS_MAX, placeIn, type FoundBlock, type TextPlace } from './found-block.ts';
import { failureOf, FieldReader } from './field-reader.ts';
import { BLOCK_FIELDS } from './schema.ts';
import { isNobodyLike, isPhase, isStatus, NOBODY, phaseLike, statusLike } from './vocabulary.ts';
import { readYaml, type Issue } from './yaml.ts';

/** The fields of a summary. The caller adds project and source. */
export interface BlockFields extends Omit<Summary, 'project' | 'from' | 'status' | 'source'> {
  /** Null only in the plain form: then it is the agent that speaks. */
  readonly from: string | null;
  /** Null: an unknown status; such a block is only reported. */
  readonly status: SummaryStatus | null;
  readonly project: string | null;
  /** The id of the leg that it names. */
  readonly leg: string | null;
  /** The fence that it shows for that leg. */
  readonly fence: number | null;
  /** What a blocked summary waits for: in its own words, otherwise its dependencies. */
  readonly waitsFor: string | null;
  /** Unknown fields. */
  readonly unread: JsonObject;
}

export interface BlockProblem extends TextPlace {
  /** Like `on_failure.retry`; empty where it is about the whole block. */
  readonly field: string;
  readonly says: string;
  readonly allowed?: readonly string[];
}

export interface BlockRead {
  /** Null when there are problems. */
  readonly fields: BlockFields | null;
  readonly problems: readonly BlockProblem[];
  readonly warnings: readonly BlockProblem[];
}

export function readBlock(found: FoundBlock, { strict }: { readonly strict: boolean }): BlockRead {
  const issues: Issue[] = [...issuesOfForm(found)];
  let fields: BlockFields | null = null;
  if (!issues.some((issue) => issue.fatal)) {
    const read = readYaml(found.yaml);
    issues.push(...read.issues);
    if (read.fields !== null) fields = fieldsOf(new FieldReader(read.fields, issues), found.text);
  }
  const isProblem = ({ fatal: grave }: Issue): boolean => strict || grave;
  const problems = issues.filter(isProblem).map((issue) => problemOf(found, issue));
  const warnings = issues.filter((issue) => !isProblem(issue)).map((issue) => problemOf(found, issue));
  return { fields: problems.length === 0 ? fields : null, problems, warnings };
}

function issuesOfForm(found: FoundBlock): readonly Issue[] {
  const whole = { at: 0, field: '' };
  if (found.tooLarge) return [{ ...whole, says: `larger than ${BLOCK_CHARS_MAX} characters`, fatal: true }];
  const cutOff = 'the fence is not closed, and the text stops here: the end may be missing';
  if (found.cutOff) return [{ ...whole, says: cutOff, fatal: true }];
  return found.closed ? [] : [{ ...whole, says: 'the fence is not closed', fatal: false }];
}

function problemOf(found: FoundBlock, issue: Issue): BlockProblem {
  const { at, field, says, allowed } = issue;
  return { ...placeIn(found, at), field, says, ...(allowed === undefined ? {} : { allowed }) };
}

function fieldsOf(reader: FieldReader, text: string): BlockFields {
  const phase = phaseOf(reader);
  const from = reader.agent('from');
  const to = nextOf(reader);
  const status = statusOf(reader);
  const dependencies = reader.list('dependencies');
  const context = reader.map('context', 'text');
  const waitsFor = reader.words('waits_for') ?? wordsOf(context['waits_for'] ?? context['blocked_by']);
  if (status === 'blocked' && waitsFor === null && dependencies.length === 0) {
    reader.add('status', 'a blocked one names what it waits for, in waits_for or in dependencies');
  }
  return {
    phase,
    from,
    to,
    status,
    retryCount: reader.whole('retry_count', 0) ?? 0,
    metrics: reader.map('metrics', 'value'),
    dependencies,
    onFailure: failureOf(reader),
    context,
    toldAt: timeOf(reader),
    form: 'block',
    text,
    project: reader.words('project') ?? wordsOf(context['project']),
    leg: reader.words('handoff_id'),
    fence: reader.whole('fence', 1),
    waitsFor: waitsFor ?? (dependencies.length > 0 ? dependencies.join(', ') : null),
    unread: reader.unread(),
  };
}

function phaseOf(reader: FieldReader): string | null {
  const said = reader.text('phase');
  if (said === null || isPhase(said)) return said;
  const like = phaseLike(said);
  reader.add('phase', `${JSON.stringify(said)} ${like === null ? 'is not a phase' : `is written "${like}"`}`, {
    allowed: PHASES,
  });
  return like ?? said;
}

function statusOf(reader: FieldReader): SummaryStatus | null {
  const said = reader.text('status');
  if (said === null || isStatus(said)) return said;
  const like = statusLike(said);
  const says = like === null ? 'is not a status; nothing follows from it' : `is written "${like}"`;
  reader.add('status', `${JSON.stringify(said)} ${says}`, { allowed: SUMMARY_STATUSES });
  return like;
}

function nextOf(reader: FieldReader): string | null {
  const field = reader.get('to');
  if (field === null) {
    reader.add('to', 'is missing; nobody comes next');
    return null;
  }
  if (field.value === NOBODY) return null;
  if (field.value === null || (typeof field.value === 'string' && isNobodyLike(field.value))) {
    reader.add('to', `nobody is written "${NOBODY}"`);
    return null;
  }
  return reader.agent('to');
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

function timeOf(reader: FieldReader): number | null {
  const field = reader.get('timestamp');
  if (field === null) return null;
  const said = typeof field.value === 'string' ? field.value.trim() : '';
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(said) || said.length === 10 ? said : `${said}Z`;
  const atMs = ISO.test(said) ? Date.parse(zoned.replace(' ', 'T').replace(',', '.')) : Number.NaN;
  if (Number.isNaN(atMs)) reader.add('timestamp', `is ${BLOCK_FIELDS.timestamp.holds}`);
  return Number.isNaN(atMs) ? null : atMs;
}

function wordsOf(value: Json | undefined): string | null {
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  if (typeof value === 'number') return String(value);
  return Array.isArray(value) && value.length > 0 ? value.map(String).join(', ') : null;
}
