/**
 * Decides in whose name a step in a file or in a commit counts. A file has an owner, a commit has an author, and the text
 * names the agent. Sync and the guard both use this.
 */
import type { Handoff } from '../../domain/handoff.ts';
import { readAgentId, type AgentId, type HandoffId } from '../../domain/names.ts';
import {
  agentPrincipal,
  OPERATOR,
  principalText,
  SYSTEM,
  type Principal,
  type Role,
  type Speaker,
} from '../../domain/principal.ts';
import { signerOfCommit } from '../../foundation/ssh-signature.ts';
import type { DocumentPlace } from '../../folders/folder.ts';
import type { Documents } from './documents.ts';
import type { Step } from './plan-edit.ts';

export interface Writer {
  readonly via: 'file' | 'git';
  /** The user id, or the author of the commit. */
  readonly who: string;
  /** The registered key that signed the commit. */
  readonly key?: { readonly agent: AgentId; readonly fingerprint: string };
  /** Under strict identity a step needs proof of its agent. */
  readonly needsProof?: true;
}

/** Null: the checked-out commit has another text, so the file was edited on this machine. */
export async function committedBy(
  { ctx, folder, isStrict, vouched }: Documents,
  place: DocumentPlace,
  id: HandoffId,
  text: string,
): Promise<Writer | null> {
  const author = await folder.git.authorOf(place, id, text);
  if (author === null) return null;
  const keys = ctx.rules.keys();
  const commit = keys.length === 0 ? null : await folder.git.commitOf(place, id, text);
  const signer = commit === null ? null : signerOfCommit(commit, keys);
  return {
    via: 'git',
    who: author,
    ...(signer === null ? {} : { key: { agent: signer.agent, fingerprint: signer.fingerprint } }),
    ...(isStrict() && !vouched ? { needsProof: true } : {}),
  };
}

/** Null: the writer may act for this agent. The agent's rights are checked elsewhere. */
export function whyNotBelieved({ needsProof, key }: Writer, as: Speaker): string | null {
  if (needsProof !== true) return null;
  if (key !== undefined && as.kind === 'agent' && as.agent === key.agent) return null;
  const signed = key === undefined ? 'it is not signed with a registered key' : `its key is one of @${key.agent}`;
  return `identity is strict here, and the commit does not prove ${principalText(as)} (${signed}); ${USE_COMMAND}`;
}

/** The principal of a step, with the key that proves it. */
export function writerAs({ via, who, key }: Writer, as: Speaker): Extract<Principal, { kind: 'writer' }> {
  const proof = key !== undefined && as.kind === 'agent' && as.agent === key.agent ? { key: key.fingerprint } : {};
  return { kind: 'writer', via, who, as, ...proof };
}

/** The roles that a workspace gives its agents. */
export interface Roles {
  rolesOf(agent: AgentId): readonly Role[];
  /** Verifiers of every document, besides those that its text names. */
  readonly verifiers: readonly AgentId[];
}

/** The principal of a step. Null: the step cannot be made by a text. */
export function believedSpeaker(roles: Roles, { via }: Writer, handoff: Handoff, step: Step): Speaker | null {
  const named = (name: string | null): Speaker | null => {
    const agent = name === null ? null : readAgentId(name);
    if (via === 'git' && name === 'operator') return OPERATOR;
    return agent === null ? null : agentPrincipal(agent, roles.rolesOf(agent));
  };
  switch (step.do) {
    case 'revise':
    case 'offer':
    case 'cancel':
      return named(handoff.from);
    case 'accept':
      // An edit on this machine need not name the agent; a commit has to name who accepted.
      return named(via === 'git' ? step.by : (step.by ?? handoff.to));
    case 'release':
    case 'deliver':
      return named(handoff.to);
    case 'verify':
      return named(step.by);
    case 'reject':
      return named(step.by ?? handoff.to);
    case 'block':
      // An offered handoff has no holder, so only an operator can block it.
      return handoff.state === 'accepted' || !step.wasOffered ? named(handoff.to) : via === 'git' ? OPERATOR : null;
    case 'answer':
      return named(step.by ?? handoff.from);
    case 'fail':
    case 'rework':
      return via === 'git' ? OPERATOR : null;
    case 'expire':
      return via === 'git' ? SYSTEM : null;
  }
}

const USE_COMMAND = 'use the command with a token in BATON_TOKEN, or sign the commit with a key of that agent';

/** Under `identity: strict` neither a file nor an unsigned commit proves who wrote it. */
export const UNPROVEN = `identity is strict here, and neither a file nor an unsigned commit proves who wrote it; ${USE_COMMAND}`;
