/** Evidence as text: `file:src/a.ts`, and behind a # what the machine saw there. */
import { EVIDENCE_FORMS, EVIDENCE_KINDS, evidenceValue, type Evidence } from '../../domain/evidence.ts';
import type { YamlValue } from './yaml-text.ts';

export interface EvidenceText {
  readonly kind: Evidence['kind'];
  readonly value: string;
  /** What a machine saw; null: only a person has written it. */
  readonly seen: Evidence | null;
}

const WRITTEN = new RegExp(`^(${EVIDENCE_KINDS.join('|')}):\\s*([\\s\\S]+)$`);

const SEEN = Object.fromEntries(
  Object.entries(EVIDENCE_FORMS).map(([kind, { form = '[\\s\\S]+', seen = [] }]) => {
    const marks = seen.map((each) => `${each.name}=(${each.form})`).join(',');
    return [kind, new RegExp(`^(${form})${marks === '' ? '' : `#${marks}`}$`)];
  }),
) as Readonly<Record<Evidence['kind'], RegExp>>;

export function writeEvidence(evidence: Evidence): string {
  const { seen = [] } = EVIDENCE_FORMS[evidence.kind];
  const marks = seen.map(({ name, field }) => `${name}=${String(evidence[field as keyof Evidence])}`).join(',');
  return `${evidence.kind}:${evidenceValue(evidence)}${marks === '' ? '' : `#${marks}`}`;
}

/** A text without a kind is a note. */
export function readEvidence(text: string): EvidenceText {
  const [, named = 'note', written = text] = WRITTEN.exec(text.trim()) ?? [];
  const kind = named as Evidence['kind'];
  const found = SEEN[kind].exec(written);
  if (found === null) return { kind, value: written, seen: null };
  const { value: main, seen = [] } = EVIDENCE_FORMS[kind];
  const [, value = '', ...marks] = found;
  const fields: Readonly<Record<string, unknown>> = Object.fromEntries(
    seen.map(({ field, isNumber }, at) => [field, isNumber === true ? Number(marks[at]) : marks[at]]),
  );
  return { kind, value, seen: { kind, [main]: value, ...fields } as unknown as Evidence };
}

/** A single piece may stand without a list. */
export function evidenceItems(evidence: YamlValue | undefined): readonly string[] {
  const list = typeof evidence === 'string' ? [evidence] : Array.isArray(evidence) ? evidence : [];
  return list.filter((each): each is string => typeof each === 'string' && each.trim() !== '');
}
