/** A succession without driven terminals: a person copies the lines. Works for any agent, without hooks. */
import type { AgentSession, SuccessionBegun } from '../../domain/agent-session.ts';
import { detailText, nextStep } from '../../domain/succession.ts';
import { instructionLine } from '../../formats/succession-note/write.ts';
import { instructionPath } from './begin.ts';
import type { Drive } from './drive-agent.ts';
import { handoverRequest, recordDocument, verifyDocument } from './outgoing.ts';
import { closeSuccession, failSuccession, markStep, loadProgress } from './record.ts';
import { changeSession } from './sessions.ts';
import type { SuccessionFailure } from './agent-runtime.ts';

/** Shows the lines that a person gives to the two agents. */
export interface LineCarrier {
  toOutgoing(line: string): void;
  toSuccessor(line: string, quality: unknown): void;
}

/** Null: success. */
export async function handOverByHand(
  drive: Drive,
  session: AgentSession,
  begun: SuccessionBegun,
  carrier: LineCarrier,
): Promise<SuccessionFailure | null> {
  const { ctx } = drive;
  for (;;) {
    const seen = await loadProgress(ctx, begun.handoff);
    const step = seen === null || seen.isOver ? null : nextStep(seen.done, 'by-hand');
    if (seen === null || step === null || step === 'begun') break;
    const work = { ...drive, session, begun, seen };
    if (step === 'instructed') {
      carrier.toOutgoing(instructionLine(handoverRequest(session, begun), instructionPath(begun)));
      await markStep(ctx, session, begun.handoff, step, { by_hand: true });
    } else if (step === 'document-verified' || step === 'recorded') {
      const answer = step === 'recorded' ? await recordDocument(work) : await verifyDocument(work);
      if (!answer.ok) {
        await failSuccession(ctx, session, begun, step, answer.refusal);
        return answer.refusal;
      }
      await markStep(ctx, session, begun.handoff, step, answer.value);
    } else {
      if (step === 'injected') carrier.toSuccessor(detailText(seen, 'injection_prompt'), seen.details['quality']);
      await markStep(ctx, session, begun.handoff, step, { by_hand: true });
    }
  }
  await changeSession(ctx, session.id, (newest) => ({ ...newest, state: 'retired', endedAt: ctx.store.nowMs() }));
  await closeSuccession(ctx, session.id, begun, null);
  return null;
}
