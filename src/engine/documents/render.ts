/** Renders the text of a document from the database. */
import { isJsonObject, textIn, type Json } from '../../foundation/json.ts';
import type { Body } from '../../domain/body.ts';
import type { Fact } from '../../domain/facts.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Role } from '../../domain/principal.ts';
import { editDocument, type DocumentChanges } from '../../formats/document/edit.ts';
import { readEntries } from '../../formats/document/entries.ts';
import { verifiersIn, type DocumentValues } from '../../formats/document/read.ts';
import { writeDocument } from '../../formats/document/write.ts';
import { REVISABLE, isSameValue, type DocumentFields, type NewDocument } from '../../formats/document/schema.ts';
import type { Claimed } from '../../stores/store.ts';
import type { YamlValue } from '../../formats/document/yaml-text.ts';
import { factsOf } from '../handoffs/read.ts';
import type { Roles } from './attribution.ts';
import { instant, type Documents } from './documents.ts';
import { changesFor, INPUT_FIELDS } from './fact-changes.ts';

/** The full text of a document, made only from the database. */
export async function renderNew({ ctx, folder }: Documents, whole: Claimed): Promise<string> {
  const [first, ...rest] = await factsOf(ctx, whole.handoff.id);
  // The first text contains only the first state.
  const begun = Object.entries(first === undefined ? {} : changesByFact(first, whole)).filter(
    ([, value]) => value !== null,
  );
  const fields = { ...agreedFields(whole), ...Object.fromEntries(begun) };
  const shown = (agent: string): string => shownName(agent, ctx.rules.rolesOf(agent as AgentId));
  const text = writeDocument(fields, shown, await folder.git.prefix());
  return applyChanges(text, changesOf(rest, whole));
}

/** `Grok (Chief)`; an agent without a role is shown by name. */
function shownName(agent: string, roles: readonly Role[]): string {
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  return roles.length === 0 ? agent : `${capital(agent)} (${roles.map(capital).join(', ')})`;
}

/** All changes as one edit; later facts win. */
export function changesOf(facts: readonly Fact[], whole: Claimed): DocumentChanges {
  return facts.reduce<DocumentChanges>((before, fact) => {
    return { ...before, ...withQuestion(changesByFact(fact, whole), before['open_question'] ?? null) };
  }, {});
}

function changesByFact(fact: Fact, whole: Claimed): DocumentChanges {
  return changesFor(fact, whole.handoff, () => agreedFields(whole) as DocumentChanges);
}

/**
 * Adds what only the text before contains: an answer gets its question, and an expired document gets the deadline in its
 * text as its end, so that two clones write the same.
 */
export function completeChanges(before: DocumentValues, changes: DocumentChanges): DocumentChanges {
  const due = changes['expires_at'] ?? before['expires_at'];
  const ended = changes['status'] === 'Expired' && typeof due === 'string' ? { updated_at: due } : {};
  return withQuestion({ ...changes, ...ended }, before['open_question'] ?? null);
}

function withQuestion(changes: DocumentChanges, question: YamlValue): DocumentChanges {
  const answer = changes['question_answer'] as { readonly question: YamlValue } | null | undefined;
  if (answer === undefined || answer === null || answer.question !== null) return changes;
  return { ...changes, question_answer: { ...answer, question } };
}

/** Edits the text. An absent field that would become null stays absent. */
export function applyChanges(text: string, changes: DocumentChanges): string {
  const there = new Set(readEntries(text).entries.map(({ key }) => key));
  return editDocument(
    text,
    Object.fromEntries(Object.entries(changes).filter(([key, value]) => value !== null || there.has(key))),
  );
}

/** The fields of a document for a handoff that was just created. */
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

/** Whether a text asks for the same work as the handoff. Verifiers of the workspace need not be named. */
export function asksSame({ verifiers }: Roles, whole: Claimed, fields: DocumentFields): boolean {
  const named = (said: DocumentFields): DocumentFields => {
    const others = verifiersIn(said).filter((agent) => !verifiers.includes(agent));
    return { ...said, verifiers: others.toSorted() };
  };
  const [here, there] = [named(agreedFields(whole)), named(fields)];
  return REVISABLE.every((name) => isSameValue(name, here, there));
}

/** An input that `create --document` did not write is shown as JSON, so that nothing is lost. */
function otherInput(input: Json): string | null {
  const isOurs = isJsonObject(input) && Object.keys(input).every((key) => INPUT_FIELDS.includes(key));
  return isOurs || input === null ? null : JSON.stringify(input, null, 2);
}
