/** A short relay in the terminal: three agents, one that fails once, on a real database in a throw-away workspace. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../../foundation/json.ts';
import type { Body } from '../../../domain/body.ts';
import { readAgentId, type AgentId } from '../../../domain/names.ts';
import { agentPrincipal } from '../../../domain/principal.ts';
import { NO_LIMITS } from '../../../domain/limits.ts';
import { DEFAULT_TERMS } from '../../../domain/terms.ts';
import { present } from '../../../foundation/assert.ts';
import { standDuty } from '../../../engine/duty.ts';
import type { Surroundings } from '../../../engine/surroundings.ts';
import { send } from '../../../engine/verbs/send.ts';
import { wait } from '../../../engine/verbs/wait.ts';
import { work, type Handler } from '../../../engine/work.ts';
import type { Fact } from '../../../domain/facts.ts';
import { workspaceAt } from '../../../house/workspace.ts';
import { answerColours, type Output } from '../output.ts';
import { problemOf } from '../problem.ts';

const agent = (name: string): AgentId => present(readAgentId(name), name);
const PLANNER = agent('@planner');
const BUILDER = agent('@builder');
const REVIEWER = agent('@reviewer');

interface Leg {
  readonly to: AgentId;
  readonly title: string;
  readonly handler: Handler;
}

export async function demo(_args: readonly string[], _options: object, output: Output): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-demo-'));
  // Also when the reader has seen enough and the process ends in the middle of it.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { openHouse } = await import('../../../house/open-house.ts');
  const database = { kind: 'sqlite', path: workspaceAt(folder).databasePath } as const;
  const house = await openHouse({ database, limits: NO_LIMITS });
  const over = new AbortController();
  const duty = standDuty(house.around, over.signal);
  const legs = relay();
  const workers = legs.map((leg) => work(house.around, { agent: leg.to, handler: leg.handler, stop: over.signal }));
  try {
    output.note(`a relay of ${legs.length} legs on SQLite in ${folder}`);
    let from = PLANNER;
    let baton: Json = { component: 'UserProfile' };
    for (const leg of legs) {
      baton = await runLeg(house.around, from, leg, baton, output);
      from = leg.to;
    }
    if (output.json) output.answer(baton);
    else output.line(`\n${answerColours.green('arrived')}: ${JSON.stringify(baton)}`);
    output.note('Every line above is a fact in the database, hashed to the one before it.');
    output.note('Next: baton init, then "baton work @react -- cat" in one terminal and "baton send" in another.');
    return 0;
  } finally {
    over.abort();
    await Promise.all([...workers, duty]);
    await house.close();
  }
}

function relay(): readonly Leg[] {
  let tries = 0;
  return [
    {
      to: BUILDER,
      title: 'build it',
      handler: async ({ body }) => {
        tries += 1;
        if (tries === 1) throw new Error('the compiler ran out of coffee');
        return { built: (JSON.parse(body) as Body).input, files: ['UserProfile.tsx'] };
      },
    },
    {
      to: REVIEWER,
      title: 'review it',
      handler: async ({ body }) => ({ approved: true, saw: (JSON.parse(body) as Body).input }),
    },
  ];
}

async function runLeg(around: Surroundings, from: AgentId, leg: Leg, input: Json, output: Output): Promise<Json> {
  const principal = agentPrincipal(from);
  const retry = { ...DEFAULT_TERMS.queue.retry, delayMs: 400 };
  const sent = await send(around, principal, { from, to: leg.to, input, title: leg.title, terms: { retry } });
  if (!sent.ok) throw new Error(`could not send: ${sent.refusal.code}`);
  const { id } = sent.value;
  const settled = await wait(around, principal, id, { timeoutMs: 30_000 });
  if (!settled.ok)
    throw settled.refusal.code === 'timed-out' ? new Error('the demo took too long') : problemOf(settled.refusal);
  const facts = await around.store.facts({ handoff: id, max: 100 });
  if (!output.json) {
    output.line(`\n${answerColours.bold(`@${from} → @${leg.to}`)}  ${leg.title}  ${answerColours.dim(id)}`);
    for (const { fact } of facts) output.line(factLine(fact));
  }
  return settled.value.outcome === null ? null : (JSON.parse(settled.value.outcome) as { result: Json }).result;
}

function factLine({ at, deed, to, by, fence, detail, hash }: Fact): string {
  const time = new Date(at).toISOString().slice(11, 23);
  const why = detail === '' ? '' : `  ${answerColours.dim(detail)}`;
  const holder = fence === 0 ? '' : ` fence ${fence}`;
  return `  ${time}  ${deed.padEnd(8)} → ${to.padEnd(9)} ${by}${holder}${why}  ${answerColours.dim(`#${hash.slice(0, 8)}`)}`;
}
