/** Refusals about artifacts in sentences: what is wrong, and what can be done. */
import type { ArtifactRefusal, ReferenceRefusal } from '../../engine/artifacts/refusals.ts';
import { displayLine } from '../../foundation/display-text.ts';

export function artifactRefusalText(refusal: ArtifactRefusal | ReferenceRefusal): string {
  switch (refusal.code) {
    case 'artifact-reference':
      return `${displayLine(refusal.field)} cannot name an artifact: ${refusal.says}`;
    case 'context-file':
      return `${refusal.file} cannot be read into the context: ${displayLine(refusal.says)}`;
    case 'no-such-artifact':
      return `there is no artifact ${refusal.id} in the registry; register its file with: baton artifact register FILE`;
    case 'artifact-unfit':
      return `${displayLine(refusal.path)} cannot be registered: ${displayLine(refusal.says)}`;
    case 'artifact-known':
      return `${refusal.id} is already ${refusal.status}, as ${refusal.path} with other content; give the new artifact another id`;
    case 'artifact-ring':
      return `these artifacts would require each other: ${refusal.ring.join(' → ')}`;
    case 'artifact-lacks':
      return `${refusal.id} is not active: it requires ${refusal.missing.join(', ')}, not active in the registry; register that first`;
    case 'artifact-file':
      return `${refusal.id} is not active: its generated file ${displayLine(refusal.file)}: ${displayLine(refusal.says)}`;
    case 'artifact-not-valid':
      return `${refusal.id} is not active: validation.status is ${displayLine(refusal.status ?? 'not given')}, and must be passed`;
    case 'artifact-status':
      return `${refusal.id} is ${refusal.status}: only what is created or active can be deprecated`;
  }
}
