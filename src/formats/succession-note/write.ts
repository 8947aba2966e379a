/** The texts of a succession. Typed lines are short and point to files with longer texts. */
import type { SuccessionReason } from '../../domain/succession.ts';
import { SECTIONS } from './sections.ts';

const BECAUSE: Readonly<Record<SuccessionReason, string>> = {
  manual: 'the operator asked for it',
  context_limit: 'your context is nearly full',
  shift_end: 'your shift ends',
  task_boundary: 'a task is finished and a fresh session begins the next one',
  usage_limit: 'the usage limit is near',
};

export interface HandoverRequest {
  readonly handoff: string;
  readonly agent: number;
  readonly persona: string;
  readonly reason: SuccessionReason;
  /** What the operator wants to be mentioned. */
  readonly context: string | null;
  readonly documentPath: string;
}

/** The file to which the typed line points. */
export function instructionText({ handoff, agent, persona, reason, context, documentPath }: HandoverRequest): string {
  const sections = SECTIONS.map(({ title, about }, index) => `${index + 1}. \`## ${title}\`: ${about}`);
  const asked = context === null ? [] : ['', '## What the operator asks you to mention', '', quoted(context)];
  return [
    `# Hand over your work (${handoff})`,
    '',
    `You are agent ${agent}, persona ${persona}. Another session of the same persona takes over, because ${BECAUSE[reason]}.`,
    'It knows nothing but what you write down now.',
    '',
    `Write one markdown document to \`${documentPath}\` and nowhere else, with these six sections:`,
    '',
    ...sections,
    '',
    'Name files by their paths from the project folder, in code marks. Say what you know and what you only suppose.',
    'Leave out secrets. Do not begin new work. When the document is written, end your turn.',
    ...asked,
    '',
  ].join('\n');
}

/** Typed into the terminal of the outgoing agent. */
export function instructionLine({ handoff, documentPath }: HandoverRequest, instructionPath: string): string {
  return `Baton ${handoff}: read ${instructionPath} and write your handoff document to ${documentPath} now, then end your turn.`;
}

export interface Injection extends Omit<HandoverRequest, 'reason' | 'context'> {
  readonly sha256: string;
  readonly substitute: boolean;
  /** What is not as the predecessor left it. */
  readonly drift: string | null;
}

/** Typed into the terminal of the successor; the document itself is never typed. */
export function injectionLine({ handoff, agent, persona, documentPath, sha256, substitute, drift }: Injection): string {
  const author = substitute
    ? `Baton wrote a substitute for the handoff document of your predecessor, agent ${agent} (${persona}), who was stopped by a usage limit`
    : `your predecessor, agent ${agent} (${persona}), wrote a handoff document for you`;
  const changed = drift === null ? '' : ` Since then: ${drift}.`;
  return (
    `Baton ${handoff}: ${author}. Read ${documentPath} (sha256 ${sha256}) as a colleague's report, ` +
    `check what matters, and go on with its next steps.${changed}`
  );
}

export interface PersonaTexts {
  readonly guardrails: string | null;
  readonly skill: string;
  readonly experience: string | null;
}

/** The first text for a successor: who it is. Guardrails come first. */
export function primingText(persona: string, { guardrails, skill, experience }: PersonaTexts): string {
  return [
    `You are ${persona}. Read this, answer "ready" in one line, and wait: your first task follows.`,
    ...(guardrails === null ? [] : ['# Guardrails', guardrails.trim()]),
    '# Skill',
    skill.trim(),
    ...(experience === null ? [] : ['# Experience', experience.trim()]),
  ].join('\n\n');
}

/** For a terminal that takes only one line. */
export function primingLine(handoff: string, path: string): string {
  return `Baton ${handoff}: read ${path} to learn who you are, answer ready, and wait for your first task.`;
}

export interface GitState {
  readonly branch: string | null;
  readonly head: string | null;
  /** Paths with their two letters of `git status`; bounded. */
  readonly dirty: readonly string[];
}

export interface Substitute extends HandoverRequest {
  readonly git: GitState | null;
  readonly transcriptTail: string;
}

/** For an agent that can no longer write: marked as a substitute, and made from what can be seen from outside. */
export function substituteText(given: Substitute): string {
  const { agent, persona, handoff, reason, git, transcriptTail } = given;
  const files = git === null || git.dirty.length === 0 ? ['(none seen)'] : git.dirty.map((line) => `- ${line}`);
  return [
    `# Substitute handoff document (${handoff})`,
    '',
    `**Written by Baton, not by the agent.** Agent ${agent} (${persona}) could not write: ${reason}.`,
    'Below is what can be seen from outside. Nothing of it was checked by the agent.',
    '',
    '## Current work',
    '',
    'See the end of the conversation under Progress.',
    '',
    '## Progress',
    '',
    'The end of the conversation, as data:',
    '',
    quoted(transcriptTail.trim() === '' ? '(it could not be read)' : transcriptTail),
    '',
    '## Decisions',
    '',
    'Unknown. Look for reasons in the conversation and in the history of the repository.',
    '',
    '## Blockers',
    '',
    `The agent was stopped: ${reason}.`,
    '',
    '## Files changed',
    '',
    git === null
      ? 'The working folder is not a git repository.'
      : `Branch ${git.branch ?? '(none)'}, HEAD ${git.head ?? '(none)'}.`,
    '',
    ...files,
    '',
    '## Next steps',
    '',
    'Compare the conversation with the working tree, then go on.',
    '',
  ].join('\n');
}

/** Quotes the text of others, so that no line of it can pass for a heading of ours. */
function quoted(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => `> ${line}`)
    .join('\n');
}

/** What has changed since the snapshot; null: nothing. */
export function driftBetween(before: GitState | null, now: GitState | null): string | null {
  if (before === null || now === null) return null;
  const changes = [
    ...(before.branch === now.branch
      ? []
      : [`the branch is ${now.branch ?? 'none'}, it was ${before.branch ?? 'none'}`]),
    ...(before.head === now.head ? [] : [`HEAD is ${short(now.head)}, it was ${short(before.head)}`]),
    ...dirtyChanges(before.dirty, now.dirty),
  ];
  return changes.length === 0 ? null : changes.join('; ');
}

function dirtyChanges(before: readonly string[], now: readonly string[]): readonly string[] {
  const differing = [...now.filter((line) => !before.includes(line)), ...before.filter((line) => !now.includes(line))];
  // Baton itself writes documents and primings there.
  const files = [...new Set(differing.map((line) => line.slice(3)))].filter(
    (path) => !path.startsWith('data/personas/'),
  );
  return files.length === 0 ? [] : [`${files.length} uncommitted file${files.length === 1 ? '' : 's'} changed`];
}

function short(head: string | null): string {
  return head === null ? 'none' : head.slice(0, 12);
}
