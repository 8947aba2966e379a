/** Checks an export without a database: whether it is complete, and what its signatures prove. */
import type { Result } from '../../foundation/result.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { RegisteredKey } from '../context.ts';
import { checkTrail, type CheckedMove } from '../signatures.ts';
import { importAll, type ImportStop } from './import.ts';

export interface AuditedTrail {
  readonly handoff: Pick<Handoff, 'id' | 'from' | 'to' | 'state' | 'title'>;
  readonly moves: readonly CheckedMove[];
}

/** Imports into an empty target, so that it accepts and refuses exactly what an import would. */
export async function auditExport(
  chunks: AsyncIterable<Uint8Array>,
  keys: readonly RegisteredKey[],
  onTrail: (trail: AuditedTrail) => void,
  signal: AbortSignal,
): Promise<Result<unknown, ImportStop>> {
  return importAll(
    {
      facts: () => Promise.resolve([]),
      schedules: { add: () => Promise.resolve(true), load: () => Promise.resolve(null) },
      transfer: {
        restore: (copies) => {
          for (const { handoff, facts } of copies) onTrail({ handoff, moves: checkTrail(handoff, facts, keys) });
          return Promise.resolve(copies.map(() => 'added' as const));
        },
      },
    },
    chunks,
    { signal },
  );
}
