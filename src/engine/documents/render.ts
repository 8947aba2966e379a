/** The text of a document, made from what the database knows. */
import { isJsonObject, type Json } from '../../foundation/json.ts';
import type { Body } from '../../domain/body.ts';
import type { Fact } from '../../domain/facts.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Role } from '../../domain/principal.ts';
import { editDocument, type DocumentChanges } from '../../formats/document/edit.ts';
import { readEntries } from '../../formats/document/entries.ts';
import { verifiersIn, type SaidFields } from '../../formats/document/read.ts';
import { writeDocument } from '../../formats/document/write.ts';
import { REVISABLE, saysSame, type DocumentFields, type NewDocument } from '../../formats/document/schema.ts';
import type { Whole } from '../../stores/store.ts';
import type { Said } from '../../formats/document/yaml-text.ts';
import type { Roles } from './attribution.ts';
import { instant, type Setting } from './documents.ts';
import { changesFor } from './fact-changes.ts';

export function renderNew(whole: Whole, facts: readonly Fact[], { rolesOf, root }: Setting): string {
  const [first, ...rest] = facts;
  const fields = { ...agreedFields(whole), ...(first === undefined ? {} : newOf(first, whole)) };
  const text = writeDocument(fields, (agent) => shownName(agent, rolesOf(agent as AgentId)), root);
  return retold(text, changesOf(rest, whole));
}

/** `Grok (Chief)`; without a part, the name as it is. */
function shownName(agent: string, roles: readonly Role[]): string {
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  return roles.length === 0 ? agent : `${capital(agent)} (${roles.map(capital).join(', ')})`;
}

/** All of them in one edit; what came later counts. */
export function changesOf(facts: readonly Fact[], whole: Pick<Whole, 'handoff' | 'body'>): DocumentChanges {
  return facts.reduce<DocumentChanges>((before, fact) => {
    const told = changesFor(fact, whole.handoff, () => agreedFields(whole) as DocumentChanges);
    return { ...before, ...withQuestion(told, before['open_question'] ?? null) };
  }, {});
}

/**
 * What only the text before knows. Two clones that let the same document expire write the same: it ended when it said
 * that it would. An answer stands beside its question.
 */
export function toldIn(before: SaidFields, changes: DocumentChanges): DocumentChanges {
  const due = changes['expires_at'] ?? before['expires_at'];
  const ended = changes['status'] === 'Expired' && typeof due === 'string' ? { updated_at: due } : {};
  return withQuestion({ ...changes, ...ended }, before['open_question'] ?? null);
}

function withQuestion(changes: DocumentChanges, question: Said): DocumentChanges {
  const answer = changes['question_answer'] as { readonly question: Said } | null | undefined;
  if (answer === undefined || answer === null || answer.question !== null) return changes;
  return { ...changes, question_answer: { ...answer, question } };
}

/** A field that is not there and has nothing to say stays away. */
export function retold(text: string, changes: DocumentChanges): string {
  const there = new Set(readEntries(text).entries.map(({ key }) => key));
  return editDocument(
    text,
    Object.fromEntries(Object.entries(changes).filter(([key, value]) => value !== null || there.has(key))),
  );
}

/** The beginning says no more than its own state: nothing is acknowledged yet. */
function newOf(fact: Fact, whole: Whole): Partial<NewDocument> {
  const told = changesFor(fact, whole.handoff, () => agreedFields(whole) as DocumentChanges);
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== null));
}

/** What a document tells of a handoff that has just been made. */
export function agreedFields({ handoff, body }: Pick<Whole, 'handoff' | 'body'>): NewDocument {
  const { input } = JSON.parse(body) as Body;
  const said = isJsonObject(input) ? input : {};
  const { id, from, to, task, title, terms, createdAt, lineage } = handoff;
  const target = text(said['target_completion']);
  return {
    handoff_id: id,
    from_agent: from,
    to_agent: to,
    related_task: task ?? 'none',
    ...(lineage.retryOf === null ? {} : { replaces: lineage.retryOf }),
    status: 'Created',
    created_at: instant(createdAt),
    updated_at: instant(createdAt),
    expires_at: null,
    title: title ?? task ?? id,
    purpose: text(said['purpose']),
    context: text(said['context']) ?? otherInput(input),
    deliverables: [...terms.deliverables],
    verification_criteria: [...terms.criteria],
    ...(terms.verifiers.length === 0 ? {} : { verifiers: [...terms.verifiers] }),
    ...(target === null ? {} : { target_completion: target }),
    source_meeting: text(said['meeting']),
    skill_web_node: text(said['skill']),
  };
}

/** Whether a text asks for what this handoff asks for. Verifiers of the workspace need not be named. */
export function asksSame(
  { verifiers }: Pick<Roles, 'verifiers'>,
  whole: Pick<Whole, 'handoff' | 'body'>,
  fields: DocumentFields,
): boolean {
  const named = (said: DocumentFields): DocumentFields => {
    const others = verifiersIn(said).filter((agent) => !verifiers.includes(agent));
    return { ...said, verifiers: others.toSorted() };
  };
  const [here, there] = [named(agreedFields(whole)), named(fields)];
  return REVISABLE.every((name) => saysSame(name, here, there));
}

/** What came by another door than `create --document` is not lost. */
function otherInput(input: Json): string | null {
  const isOurs = isJsonObject(input) && Object.keys(input).every((key) => OWN.has(key));
  return isOurs || input === null ? null : JSON.stringify(input, null, 2);
}

const OWN = new Set(['purpose', 'context', 'meeting', 'skill', 'target_completion']);

function text(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
