/** Why a summary was refused. */
import { AGENT_NAME_RULE } from '../../domain/names.ts';
import type { IngestRefusal } from '../../engine/handoffs/ingest.ts';
import { refusalText } from './refusal-text.ts';

export function ingestRefusalText(refusal: IngestRefusal): string {
  switch (refusal.code) {
    case 'several-legs':
      return `@${refusal.from} has several open legs (${refusal.legs.join(', ')}); name one as handoff_id in the block`;
    case 'leg-settled':
      return refusal.open === null
        ? `@${refusal.from} has already settled ${refusal.settled}; if the block is about other work, name its task in context.task`
        : `@${refusal.from} has already settled ${refusal.settled}; if the block is about ${refusal.open}, name that as handoff_id, or accept it first`;
    case 'retry-elsewhere':
      return `retry offers the work to @${refusal.from} again, and @${refusal.to} would not be asked; to pass it on, say failed with on_failure.route_to`;
    case 'not-speaker':
      return `${refusal.principal} cannot speak for @${refusal.from}`;
    case 'waits-for-nothing':
      return `@${refusal.from} is blocked and does not say by what; name it as waits_for or in dependencies`;
    case 'bad-name':
      return `${JSON.stringify(refusal.name)} is not the name of an agent: ${AGENT_NAME_RULE}`;
    case 'not-json':
      return `the content of the block cannot be stored: ${refusal.problem.says}`;
    default:
      return refusalText(refusal);
  }
}
