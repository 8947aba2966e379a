/**
 * In whose name a file of the queue folder may act. A file does not prove who wrote it: under strict identity, files act
 * only for the agent that the policy names for the folder (`folders.queue_as`).
 */
import type { AgentId } from '../../domain/names.ts';
import type { Queue } from './queue.ts';

/** Null: a file may send in this agent's name. Otherwise the reason and what to do. */
export function whyNotSend(queue: Queue, from: AgentId): string | null {
  return whyNot(queue, from, `send as @${from} with: baton send, and its token`);
}

/** Null: a file may take and settle work of this agent. Otherwise the reason and what to do. */
export function whyNotTake(queue: Queue, to: AgentId): string | null {
  return whyNot(queue, to, `take the work of @${to} with: baton work, or baton claim, and its token`);
}

function whyNot({ ctx }: Queue, agent: AgentId, instead: string): string | null {
  const rights = ctx.rules.fileRights();
  if (rights.anybody || rights.agent === agent) return null;
  const whose =
    rights.agent === null
      ? 'no agent is named for this folder (folders: { queue_as: AGENT } in baton.yaml, then baton apply)'
      : `the files of this folder act for @${rights.agent} only`;
  return `identity is strict here, and ${whose}; ${instead}`;
}
