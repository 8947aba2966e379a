/** Writes a block as the specification has it; strict reading gives the same summary again. */
import { stringify } from 'yaml';
import type { Json, JsonObject } from '../../../src/foundation/json.ts';
import type { OnFailure, Summary } from '../../../src/domain/summary.ts';
import { NOBODY } from '../../../src/formats/summary-block/vocabulary.ts';

type Written = Pick<Summary, 'phase' | 'from' | 'to' | 'status'> &
  Partial<Pick<Summary, 'retryCount' | 'metrics' | 'dependencies' | 'onFailure' | 'context' | 'toldAt' | 'project'>> & {
    /** The leg it belongs to. */
    readonly leg?: string | null;
    readonly waitsFor?: string | null;
    readonly unread?: JsonObject;
  };

export function writeBlock(summary: Written): string {
  const { retryCount = 0, metrics = {}, dependencies = [], context = {}, toldAt = null } = summary;
  const fields: { [key: string]: Json } = {
    ...(summary.leg ? { handoff_id: summary.leg } : {}),
    ...(summary.project ? { project: summary.project } : {}),
    phase: summary.phase,
    from: `@${summary.from}`,
    to: summary.to === null ? NOBODY : `@${summary.to}`,
    status: summary.status,
    retry_count: retryCount,
    ...(summary.waitsFor ? { waits_for: summary.waitsFor } : {}),
    ...(Object.keys(metrics).length > 0 ? { metrics } : {}),
    ...(dependencies.length > 0 ? { dependencies } : {}),
    ...(summary.onFailure ? { on_failure: failureIn(summary.onFailure) } : {}),
    ...(toldAt === null ? {} : { timestamp: new Date(toldAt).toISOString() }),
    ...(Object.keys(context).length > 0 ? { context } : {}),
    ...summary.unread,
  };
  const yaml = stringify(
    { handoff: fields },
    { lineWidth: 0, aliasDuplicateObjects: false, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' },
  );
  const fence = fenceAround(yaml);
  return `${fence}yaml\n${yaml}${fence}\n`;
}

/** Longer than any run of backticks inside. */
function fenceAround(yaml: string): string {
  const longest = (yaml.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  return '`'.repeat(longest + 1);
}

function failureIn(failure: OnFailure): JsonObject {
  const { retry, routeTo, notify, escalateAfter, context } = failure;
  return {
    ...(retry === undefined ? {} : { retry }),
    ...(routeTo === undefined ? {} : { route_to: `@${routeTo}` }),
    ...(notify === undefined ? {} : { notify: `@${notify}` }),
    ...(escalateAfter === undefined ? {} : { escalate_after: escalateAfter }),
    ...(context === undefined ? {} : { context }),
  };
}
