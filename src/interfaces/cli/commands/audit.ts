/** Lists completed handoffs by assurance, and checks their evidence again. */
import { ASSURANCES, ASSURANCE_TEXT, type Assurance } from '../../../domain/assurance.ts';
import { falseChecks } from '../../../domain/evidence.ts';
import { auditCompletions, type AuditedCompletion } from '../../../engine/handoffs/audit.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { onInterrupt } from '../interrupt.ts';
import type { Output } from '../output.ts';
import { withOperator, type CommonOptions, type Flags, type Texts } from '../with-workspace.ts';

export type AuditOptions = CommonOptions & Flags<'recheck'> & Texts<'offline' | 'keys'>;

/** For each level. `--json` has all handoffs. */
const NAMED_MAX = 100;
export const EVIDENCE_GONE = 8;

export async function audit(_args: readonly string[], options: AuditOptions, output: Output): Promise<number> {
  if (options.offline !== undefined) {
    const { auditOffline } = await import('./audit-offline.ts');
    return auditOffline(options.offline, options, output);
  }
  const interrupts = onInterrupt(() => undefined);
  const recheck = options.recheck === true;
  const asked = recheck
    ? ({ scope: 'write', explicitAs: 'run the commands of evidence again' } as const)
    : ({ scope: 'read' } as const);
  return withOperator(options, { ...asked, onlyReads: true }, async ({ ctx }) => {
    const found = new Map<Assurance, AuditedCompletion[]>(ASSURANCES.map((each) => [each, []]));
    let isFalse = false;
    for await (const each of auditCompletions(ctx, { recheck, signal: interrupts.stop })) {
      found.get(each.assurance)?.push(each);
      isFalse ||= falseChecks(each.today ?? []).length > 0;
    }
    const stopped = interrupts.exitCode();
    if (stopped !== null) return stopped;
    if (output.json) output.answer({ items: [...found.values()].flat().map(viewOf) });
    else for (const level of ASSURANCES) output.line(pageOf(level, found.get(level) ?? []));
    return isFalse ? EVIDENCE_GONE : 0;
  });
}

function viewOf({ handoff, assurance, because, by, proof, policy, where, today }: AuditedCompletion): object {
  return {
    id: handoff.id,
    from: `@${handoff.from}`,
    to: `@${handoff.to}`,
    title: handoff.title,
    assurance,
    because,
    by,
    proof,
    policy,
    where,
    ...(today === null ? {} : { today }),
  };
}

function pageOf(level: Assurance, all: readonly AuditedCompletion[]): string {
  const head = `${level}: ${all.length} (${ASSURANCE_TEXT[level]})`;
  const rest = all.length > NAMED_MAX ? [`  and ${all.length - NAMED_MAX} more; --json has all of them`] : [];
  return [head, ...all.slice(0, NAMED_MAX).flatMap(linesOf), ...rest].join('\n');
}

function linesOf({ handoff, by, proof, because, where, today }: AuditedCompletion): readonly string[] {
  const { id, from, to, title } = handoff;
  const place = where === null ? '' : `, checked in ${where}`;
  const first = `  ${id}  @${from} → @${to}  ${title ?? ''}  by ${by} (${proof}${place}): ${because}`;
  const now = (today ?? []).map(
    ({ deliverable, verdict, says }) =>
      `      today: ${deliverable}: ${verdict === 'false' ? 'DOES NOT HOLD: ' : ''}${says}`,
  );
  return [first, ...now].map(displayLine);
}
