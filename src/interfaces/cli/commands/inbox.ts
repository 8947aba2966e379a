import type { JsonObject } from '../../../foundation/json.ts';
import { shortIdOf } from '../../../domain/names.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import type { Results } from '../../../operations/operation.ts';
import { waitingEntry, withoutKey } from '../../shared/inbox-entries.ts';
import type { Telling } from './run-operation.ts';

export function tellInbox({ entries, waiting }: Results['inbox'], { output, input: { agent } }: Telling): void {
  const told = [...entries.map(withoutKey), ...waiting.map(waitingEntry)] as unknown as readonly Told[];
  if (output.json) output.answer(told);
  else for (const each of told) output.line(lineOf(each));
  if (entries.length === 0) output.note(`nothing new for @${String(agent)}`);
}

/** The fields that `announcements.ts` writes. */
interface Told {
  readonly at: string;
  readonly event: string;
  readonly handoff: string;
  readonly from: string;
  readonly to: string;
  readonly title: string | null;
  readonly detail?: JsonObject;
}

function lineOf({ at, event, handoff, from, to, title, detail }: Told): string {
  const name = title === null ? '' : ` “${title}”`;
  const reason = detail === undefined ? '' : reasonIn(detail);
  return displayLine(`${at}  ${event}  ${shortIdOf(handoff)}  ${from} → ${to}${name}${reason}`);
}

function reasonIn(detail: JsonObject): string {
  const says = detail['reason'] ?? detail['message'] ?? detail['question'] ?? detail['notes'];
  return typeof says === 'string' ? `: ${says.split('\n', 1)[0] ?? ''}` : '';
}
