/** Checks a changed document against its text at the base commit. */
import { AGREED, hasChanged, type FieldName } from '../../formats/document/schema.ts';
import { readDocument, type DocumentRead } from '../../formats/document/read.ts';
import { isSettled, type Status } from '../../formats/document/vocabulary.ts';
import type { Terms } from '../../domain/handoff.ts';
import { readAgentId } from '../../domain/names.ts';
import { agentPrincipal } from '../../domain/principal.ts';
import type { DocumentVersion } from '../../folders/folder.ts';
import type { AgentKey } from '../context.ts';
import { whyNotBelieved, type Roles, type Writer } from '../documents/attribution.ts';
import { isImported } from '../documents/overrule.ts';
import { judgeVersion } from '../documents/legal-change.ts';
import type { Violation, FieldViolation } from './violation.ts';
import { isLegalPath, nextWords } from './transition.ts';

export interface ChangeRules {
  readonly terms: Terms;
  readonly roles: Roles;
}

/** The document as it is now. */
export interface JudgedText {
  readonly text: string;
  readonly read: DocumentRead;
  readonly violation: FieldViolation;
}

/** Fields that change with a move. */
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
 * Under strict identity an unsigned commit proves nothing: the document has to agree with the database. `recorded` is its
 * status there; null: no database at hand, or the document is unknown there.
 */
export function judgeProof(
  { read: now, violation }: JudgedText,
  before: string | null,
  recorded: Status | null,
  isStaged: boolean,
): readonly Violation[] {
  const was = before === null ? null : readDocument(before);
  const hasMoved =
    was === null || MOVE_FIELDS.some((name) => JSON.stringify(was.all[name]) !== JSON.stringify(now.all[name]));
  if (!hasMoved || (recorded !== null && recorded === now.fields.status)) return [];
  const known = recorded === null ? 'no database at hand has it' : `the database has it as ${recorded}`;
  const says = `identity is strict, and nothing proves that it is ${now.fields.status ?? 'what it says'}: ${known}`;
  return [violation('unproven', 'status', says, isStaged ? ADVICE_FOR_HOOK : ADVICE)];
}

const ADVICE =
  'use the command with a token, or sign the commit with a key of that agent; and check where the database is ' +
  '(BATON_DATABASE names another one, --keys the keys that are believed)';
/** The signature is made after the hook has run. */
const ADVICE_FOR_HOOK =
  'use the command with a token; or, if the commit will be signed with a key of that agent, which no hook can see, make ' +
  'it with git commit --no-verify and check it with: baton check --since HEAD~1';

/**
 * `befores` are the texts at the parent commits; the document may follow from any of them. Empty: it is new. Uses the same
 * function as sync when it takes over a commit.
 */
export function judgeChange(now: JudgedText, befores: readonly string[], rules: ChangeRules): readonly Violation[] {
  const known = befores.map(readDocument).filter(({ fields }) => fields.status !== undefined);
  const violations = (known.length === 0 ? [null] : known).map((before) => judgeAgainst(now, before, rules));
  return violations.find((each) => each.length === 0) ?? violations[0] ?? [];
}

/** The committer may act for all agents that the text names, as in sync. */
const COMMITTER: Writer = { via: 'git', who: 'whoever commits' };

function judgeAgainst(
  { read: now, violation }: JudgedText,
  before: DocumentRead | null,
  { terms, roles }: ChangeRules,
): readonly Violation[] {
  if (before === null && isImported(now.all)) return [];
  const judged = judgeVersion(roles, terms, COMMITTER, now, before);
  if (judged === null) return [];
  const oldStatus = before?.fields.status as Status | undefined;
  const newStatus = now.fields.status as Status | undefined;
  if (oldStatus !== undefined && newStatus !== undefined && !isLegalPath(oldStatus, newStatus)) {
    const next = nextWords(oldStatus);
    const todo =
      next.length === 0
        ? 'final is final: make a new one with baton retry'
        : `from there it can become ${next.join(', ')}`;
    return [violation('transition', 'status', `it was ${oldStatus} and cannot become ${newStatus}`, todo)];
  }
  if (before !== null && isImported(now.all) && !isImported(before.all)) {
    const says = 'only a document that was over when it was migrated is imported';
    return [violation('agreement', 'imported', says, 'take the field away')];
  }
  const isFree = before === null || oldStatus === 'Created';
  const agreed = isFree ? [] : AGREED.filter((name) => hasChanged(name, now.all, before.all));
  if (agreed.length > 0) {
    const todo = 'put back what stood there; other work is another handoff';
    return agreed.map((name) => {
      return violation('agreement', name, `${name} was agreed when the handoff was made and has changed`, todo);
    });
  }
  if (judged.ok) return [];
  const { field, says } = judged.refusal;
  if ((AGREED as readonly string[]).includes(field) || field === 'expires_at') {
    return [violation('agreement', field, says, 'put back what stood there')];
  }
  const todo = 'sync would refuse it elsewhere; do it with the command, or put it right';
  return [violation(field === 'status' ? 'transition' : 'completion', field, says, todo)];
}

export interface SignedVersion extends Omit<DocumentVersion, 'commit'> {
  /** The registered key that signed the commit; null: none. */
  readonly signer: AgentKey | null;
}

/**
 * Whether signed commits prove the document, by the rules of sync. `versions` are all versions since `before`, oldest
 * first; `now` is the text to be proven.
 */
export function isProvenBySignatures(
  versions: readonly SignedVersion[],
  before: string | null,
  now: string,
  { terms, roles }: ChangeRules,
): boolean {
  if (versions.at(-1)?.text !== now) return false;
  let previous = before === null ? null : readDocument(before);
  for (const { author, text, signer } of versions) {
    const read = readDocument(text);
    const writer: Writer = { via: 'git', who: author, needsProof: true, ...(signer === null ? {} : { key: signer }) };
    if (previous === null && !isBeginningProven(read, writer)) return false;
    if (judgeVersion(roles, terms, writer, read, previous)?.ok !== true) return false;
    previous = read;
  }
  return true;
}

/** A settled document contains moves of several agents, which one signature cannot prove. */
function isBeginningProven({ fields }: DocumentRead, writer: Writer): boolean {
  const sender = readAgentId(fields.from_agent ?? '');
  if (sender === null || isSettled(fields.status as Status)) return false;
  return whyNotBelieved(writer, agentPrincipal(sender)) === null;
}
