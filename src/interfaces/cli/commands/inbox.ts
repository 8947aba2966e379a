import type { JsonObject } from '../../../foundation/json.ts';
import { shortIdOf } from '../../../domain/names.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import type { Results } from '../../../operations/operation.ts';
import { waitingEntry, withoutKey } from '../../shared/inbox-entries.ts';
import type { PrintContext } from './run-operation.ts';

export function printInbox({ entries, waiting }: Results['inbox'], { output, input: { agent } }: PrintContext): void {
  const notifications = [
    ...entries.map(withoutKey),
    ...waiting.map(waitingEntry),
  ] as unknown as readonly Notification[];
  if (output.json) output.answer(notifications);
  else for (const each of notifications) output.line(lineOf(each));
  if (entries.length === 0) output.note(`nothing new for @${String(agent)}`);
}

/** The fields that `announcements.ts` writes. */
interface Notification {
  readonly at: string;
  readonly event: string;
  readonly handoff: string;
  readonly from: string;
  readonly to: string;
  readonly title: string | null;
  readonly detail?: JsonObject;
}

function lineOf({ at, event, handoff, from, to, title, detail }: Notification): string {
  const name = title === null ? '' : ` “${title}”`;
  const reason = detail === undefined ? '' : reasonIn(detail);
  return displayLine(`${at}  ${event}  ${shortIdOf(handoff)}  ${from} → ${to}${name}${reason}`);
}

function reasonIn(detail: JsonObject): string {
  const says = detail['reason'] ?? detail['message'] ?? detail['question'] ?? detail['notes'];
  return typeof says === 'string' ? `: ${says.split('\n', 1)[0] ?? ''}` : '';
}
