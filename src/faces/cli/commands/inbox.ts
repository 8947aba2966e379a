import { agentPrincipal } from '../../../domain/principal.ts';
import type { JsonObject } from '../../../foundation/json.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { agentArgument, countArgument } from '../arguments.ts';
import { inHouse, type CommonOptions } from '../invocation.ts';
import type { Output } from '../output.ts';
import { faceProblem } from '../problem.ts';

interface InboxOptions extends CommonOptions {
  readonly clear?: true;
  readonly limit?: string;
}

const LIMIT_MAX = 1_000;

/** An inbox is its agent's: nobody else empties it. */
export async function inbox(args: readonly string[], options: InboxOptions, output: Output): Promise<number> {
  const agent = agentArgument(args[0] ?? '', 'agent');
  const max = countArgument(options.limit ?? '50', '--limit', 1, LIMIT_MAX);
  const scope = options.clear === true ? 'write' : 'read';
  return inHouse(
    options,
    { otherwise: agentPrincipal(agent), scope, onlyReads: options.clear !== true },
    async ({ store }, principal) => {
      const own = principal.kind === 'operator' || (principal.kind === 'agent' && principal.agent === agent);
      if (!own) throw faceProblem('not-yours', `this is the inbox of @${agent}`);
      const entries = await store.outbox.inbox(agent, max);
      const told = entries.map(({ payload }) => JSON.parse(payload) as Told);
      if (output.json) output.answer(told);
      else for (const each of told) output.line(lineOf(each));
      if (told.length === 0) output.note(`nothing new for @${agent}`);
      if (options.clear === true) await store.outbox.done(entries.map(({ key }) => key));
      return 0;
    },
  );
}

/** As `announcements.ts` writes it. */
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
  return displayLine(`${at}  ${event}  ${handoff}  ${from} → ${to}${name}${reason}`);
}

function reasonIn(detail: JsonObject): string {
  const says = detail['reason'] ?? detail['message'] ?? detail['question'] ?? detail['notes'];
  return typeof says === 'string' ? `: ${says}` : '';
}
