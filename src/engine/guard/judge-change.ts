/** One document against what it was at the commit it is compared with. */
import { AGREED, hasChanged, type FieldName } from '../../formats/document/schema.ts';
import { readDocument, type DocumentRead } from '../../formats/document/read.ts';
import type { Status } from '../../formats/document/vocabulary.ts';
import type { Terms } from '../../domain/handoff.ts';
import type { Roles, Writer } from '../documents/attribution.ts';
import { isImported } from '../documents/overrule.ts';
import { judgeTold, recordIn, stateIn } from '../documents/legal-change.ts';
import { complain, type Complaint } from './complaint.ts';
import { placeOfField } from './judge-file.ts';
import { isLegalPath, nextWords } from './transition.ts';

/** What tells that somebody has moved a handoff. */
const MOVE_FIELDS = [
  'status',
  'acknowledged_by',
  'delivered_at',
  'deliverable_status',
  'completion_verified_by',
  'verification_record',
  'rejection_reason',
] as const satisfies readonly FieldName[];

/**
 * Where identity is strict, a commit without a signature proves nothing: what it tells has to be what the database
 * says. `recorded` is the status there; null where there is no database at hand, or it does not know the document.
 */
export function judgeProof(
  path: string,
  text: string,
  now: DocumentRead,
  before: string | null,
  recorded: Status | null,
  isStaged: boolean,
): readonly Complaint[] {
  const was = before === null ? null : readDocument(before);
  const hasMoved =
    was === null || MOVE_FIELDS.some((name) => JSON.stringify(was.all[name]) !== JSON.stringify(now.all[name]));
  if (!hasMoved || (recorded !== null && recorded === now.fields.status)) return [];
  const known = recorded === null ? 'no database at hand has it' : `the database has it as ${recorded}`;
  const says = `identity is strict, and nothing proves that it is ${now.fields.status ?? 'what it says'}: ${known}`;
  const todo = isStaged ? ADVICE_FOR_HOOK : ADVICE;
  return [complain(path, 'unproven', says, todo, placeOfField(text, 'status'))];
}

const ADVICE =
  'use the command with a token, or sign the commit with a key of that agent; and check where the database is ' +
  '(BATON_DATABASE names another one, --keys the keys that are believed)';
/** The signature is made after the hook has run. */
const ADVICE_FOR_HOOK =
  'use the command with a token; or, if the commit will be signed with a key of that agent, which no hook can see, make ' +
  'it with git commit --no-verify and check it with: baton check --since HEAD~1';

/**
 * `befores` are the texts of the commits it follows, of which a merge has several; it may follow any of them. Empty: it
 * is new. By the function with which sync decides whether it takes a commit over.
 */
export function judgeChange(
  path: string,
  text: string,
  now: DocumentRead,
  befores: readonly string[],
  rules: ChangeRules,
): readonly Complaint[] {
  const known = befores.map(readDocument).filter(({ fields }) => fields.status !== undefined);
  const complaints = (known.length === 0 ? [null] : known).map((before) => judged(path, text, now, before, rules));
  return complaints.find((each) => each.length === 0) ?? complaints[0] ?? [];
}

export interface ChangeRules {
  readonly terms: Terms;
  readonly roles: Roles;
}

/** Whoever commits speaks for those whom the text names; sync believes the same. */
const COMMITTER: Writer = { via: 'git', who: 'whoever commits' };

function judged(
  path: string,
  text: string,
  now: DocumentRead,
  before: DocumentRead | null,
  { terms, roles }: ChangeRules,
): readonly Complaint[] {
  if (before === null && isImported(now.all)) return [];
  const fields = (before ?? now).fields;
  const record = recordIn(roles, fields, terms, before === null ? 'draft' : stateIn(fields));
  if (record === null) return [];
  const oldStatus = before?.fields.status as Status | undefined;
  const newStatus = now.fields.status as Status | undefined;
  if (oldStatus !== undefined && newStatus !== undefined && !isLegalPath(oldStatus, newStatus)) {
    const ways = nextWords(oldStatus);
    const todo =
      ways.length === 0
        ? 'final is final: make a new one with baton retry'
        : `from there it can become ${ways.join(', ')}`;
    const says = `it was ${oldStatus} and cannot become ${newStatus}`;
    return [complain(path, 'transition', says, todo, placeOfField(text, 'status'))];
  }
  if (before !== null && isImported(now.all) && !isImported(before.all)) {
    const says = 'only a document that was over when it was migrated is imported';
    return [complain(path, 'agreement', says, 'take the field away', placeOfField(text, 'imported'))];
  }
  const agreed =
    before === null || before.fields.status === 'Created'
      ? []
      : AGREED.filter((name) => hasChanged(name, now.all, before.all));
  if (agreed.length > 0) {
    const todo = 'put back what stood there; other work is another handoff';
    return agreed.map((name) => {
      const says = `${name} was agreed when the handoff was made and has changed`;
      return complain(path, 'agreement', says, todo, placeOfField(text, name));
    });
  }
  const told = judgeTold(roles, COMMITTER, record, now, before);
  if (told.ok) return [];
  const { field, says } = told.refusal;
  const isFixed = (AGREED as readonly string[]).includes(field) || field === 'expires_at';
  const rule = isFixed ? 'agreement' : field === 'status' ? 'transition' : 'completion';
  const todo = isFixed
    ? 'put back what stood there'
    : 'sync would refuse it elsewhere; do it with the command, or put it right';
  return [complain(path, rule, says, todo, placeOfField(text, field))];
}
