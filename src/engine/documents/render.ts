/** The text of a document, made from what the database knows. */
import { isJsonObject, textIn, type Json } from '../../foundation/json.ts';
import type { Body } from '../../domain/body.ts';
import type { Fact } from '../../domain/facts.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Role } from '../../domain/principal.ts';
import { editDocument, type DocumentChanges } from '../../formats/document/edit.ts';
import { readEntries } from '../../formats/document/entries.ts';
import { verifiersIn, type SaidFields } from '../../formats/document/read.ts';
import { writeDocument } from '../../formats/document/write.ts';
import { REVISABLE, saysSame, type DocumentFields, type NewDocument } from '../../formats/document/schema.ts';
import type { Claimed } from '../../stores/store.ts';
import type { Said } from '../../formats/document/yaml-text.ts';
import { factsOf } from '../handoffs/read.ts';
import type { Roles } from './attribution.ts';
import { instant, type Documents } from './documents.ts';
import { changesFor, INPUT_FIELDS } from './fact-changes.ts';

/** The text that the database alone gives the document. */
export async function renderNew({ ctx, folder }: Documents, whole: Claimed): Promise<string> {
  const [first, ...rest] = await factsOf(ctx, whole.handoff.id);
  // A new document tells no more than its first state: nothing is acknowledged yet.
  const begun = Object.entries(first === undefined ? {} : toldBy(first, whole)).filter(([, value]) => value !== null);
  const fields = { ...agreedFields(whole), ...Object.fromEntries(begun) };
  const shown = (agent: string): string => shownName(agent, ctx.rules.rolesOf(agent as AgentId));
  const text = writeDocument(fields, shown, await folder.git.prefix());
  return retold(text, changesOf(rest, whole));
}

/** `Grok (Chief)`; an agent without a role has its name alone. */
function shownName(agent: string, roles: readonly Role[]): string {
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  return roles.length === 0 ? agent : `${capital(agent)} (${roles.map(capital).join(', ')})`;
}

/** All changes as one edit; a later fact replaces what an earlier one told. */
export function changesOf(facts: readonly Fact[], whole: Claimed): DocumentChanges {
  return facts.reduce<DocumentChanges>((before, fact) => {
    return { ...before, ...withQuestion(toldBy(fact, whole), before['open_question'] ?? null) };
  }, {});
}

function toldBy(fact: Fact, whole: Claimed): DocumentChanges {
  return changesFor(fact, whole.handoff, () => agreedFields(whole) as DocumentChanges);
}

/**
 * The changes with what only the text before knows: an answer gets its question, and an expired document ended at the
 * deadline in its text, so that two clones which let it expire write the same.
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

/** Edits the text. A field that is absent and would be null stays absent. */
export function retold(text: string, changes: DocumentChanges): string {
  const there = new Set(readEntries(text).entries.map(({ key }) => key));
  return editDocument(
    text,
    Object.fromEntries(Object.entries(changes).filter(([key, value]) => value !== null || there.has(key))),
  );
}

/** What a document tells of a handoff that has just been created. */
export function agreedFields({ handoff, body }: Claimed): NewDocument {
  const { input } = JSON.parse(body) as Body;
  const said = isJsonObject(input) ? input : {};
  const { id, from, to, task, title, terms, createdAt, lineage } = handoff;
  const target = textIn(said['target_completion']);
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
    purpose: textIn(said['purpose']),
    context: textIn(said['context']) ?? otherInput(input),
    deliverables: [...terms.deliverables],
    verification_criteria: [...terms.criteria],
    ...(terms.verifiers.length === 0 ? {} : { verifiers: [...terms.verifiers] }),
    ...(target === null ? {} : { target_completion: target }),
    source_meeting: textIn(said['meeting']),
    skill_web_node: textIn(said['skill']),
  };
}

/** Whether a text asks for what this handoff asks for. Verifiers of the workspace need not be named. */
export function asksSame({ verifiers }: Roles, whole: Claimed, fields: DocumentFields): boolean {
  const named = (said: DocumentFields): DocumentFields => {
    const others = verifiersIn(said).filter((agent) => !verifiers.includes(agent));
    return { ...said, verifiers: others.toSorted() };
  };
  const [here, there] = [named(agreedFields(whole)), named(fields)];
  return REVISABLE.every((name) => saysSame(name, here, there));
}

/** An input that `create --document` did not write is kept as JSON, so that nothing of it is lost. */
function otherInput(input: Json): string | null {
  const isOurs = isJsonObject(input) && Object.keys(input).every((key) => INPUT_FIELDS.includes(key));
  return isOurs || input === null ? null : JSON.stringify(input, null, 2);
}
