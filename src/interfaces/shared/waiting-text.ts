import { failedDependencyOf, type Handoff } from '../../domain/handoff.ts';

/** What a handoff waits for, as text; null: only for its recipient. */
export function waitingText(handoff: Handoff, idText: (id: string) => string = String): string | null {
  const { blockedOn, terms } = handoff;
  switch (blockedOn?.reason) {
    case undefined:
      return null;
    case 'question':
      return `an answer to: ${blockedOn.text}`;
    case 'place':
      return 'a place under a limit';
    case 'artifact':
      return `artifacts: ${(terms.artifacts ?? []).join(', ')}`;
    case 'dependency': {
      const failed = failedDependencyOf(handoff);
      return failed === null
        ? `waits for ${terms.dependsOn.map(idText).join(', ')}`
        : `${idText(failed)} did not succeed; baton retry ${idText(failed)}`;
    }
  }
}
