/** Whether signed commits prove what a document tells, by the rules with which sync believes a commit. */
import { readAgentId } from '../../domain/names.ts';
import { agentPrincipal } from '../../domain/principal.ts';
import { readDocument, type DocumentRead } from '../../formats/document/read.ts';
import { isSettled, type Status } from '../../formats/document/vocabulary.ts';
import type { AgentKey } from '../context.ts';
import { whyNotBelieved, type Writer } from '../documents/attribution.ts';
import { judgeTold, recordIn, stateIn } from '../documents/legal-change.ts';
import type { ChangeRules } from './judge-change.ts';

export interface SignedVersion {
  readonly author: string;
  readonly text: string;
  /** Whose registered key has signed the commit; null: nobody's. */
  readonly signer: AgentKey | null;
}

/** `versions` from the oldest to the newest, all since `before`; `now` is the text that has to be proven. */
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
    const { fields } = previous ?? read;
    const record = recordIn(roles, fields, terms, previous === null ? 'draft' : stateIn(fields));
    if (record === null || !judgeTold(roles, writer, record, read, previous).ok) return false;
    previous = read;
  }
  return true;
}

/** What is over has happened in the names of several: one signature does not prove all of them. */
function isBeginningProven({ fields }: DocumentRead, writer: Writer): boolean {
  const sender = readAgentId(fields.from_agent ?? '');
  if (sender === null || isSettled(fields.status as Status)) return false;
  return whyNotBelieved(writer, agentPrincipal(sender)) === null;
}
