/** Every move in every state by everybody: the command line and HTTP agree, in what they do and in what they say. */
import { describe, expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import type { Handoff, Terms } from '../../src/domain/handoff.ts';
import { STATES, type State } from '../../src/domain/lifecycle.ts';
import { expire } from '../../src/domain/moves/reject-cancel-expire.ts';
import { readAgentId, type AgentId } from '../../src/domain/names.ts';
import { agentPrincipal, SYSTEM } from '../../src/domain/principal.ts';
import { DEFAULT_RETRY } from '../../src/domain/retry-policy.ts';
import { change, decideBy } from '../../src/engine/change.ts';
import type { Context } from '../../src/engine/context.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { block } from '../../src/engine/handoffs/block.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { cancel, reject } from '../../src/engine/handoffs/reject-and-cancel.ts';
import { fail } from '../../src/engine/handoffs/fail.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { commandFor } from '../../src/interfaces/cli/commands/run-operation.ts';
import { APP } from '../../src/app/app.ts';
import { useApp } from '../../src/interfaces/cli/app.ts';
import type { Output } from '../../src/interfaces/cli/output.ts';
import { Problem } from '../../src/interfaces/cli/problem.ts';
import { PROBLEMS } from '../../src/interfaces/shared/problems.ts';
import { MOVES, type MoveName } from '../../src/operations/index.ts';
import { served, type Served } from './served.ts';

useApp(APP);

const agent = (name: string): AgentId => present(readAgentId(name), name);
const BOSS = agent('boss');
const DOER = agent('doer');
const boss = agentPrincipal(BOSS);
const doer = agentPrincipal(DOER);

/** The same wish in the words of both faces. */
const WISHES: Readonly<Record<MoveName, { readonly options: object; readonly body: object }>> = {
  revise: { options: { title: 'x' }, body: { title: 'x' } },
  activate: { options: {}, body: {} },
  accept: { options: {}, body: {} },
  reject: { options: { type: 'scope', reason: 'no' }, body: { type: 'scope', reason: 'no' } },
  release: { options: { fence: '1' }, body: { fence: 1 } },
  renew: { options: { fence: '1' }, body: { fence: 1 } },
  progress: { options: { fence: '1', fraction: '0.5' }, body: { fence: 1, fraction: 0.5 } },
  deliver: { options: { fence: '1', result: '{}' }, body: { fence: 1, result: {} } },
  fail: { options: { fence: '1', code: 'X', message: 'm' }, body: { fence: 1, code: 'X', message: 'm' } },
  block: { options: { fence: '1', question: 'why' }, body: { fence: 1, question: 'why' } },
  unblock: { options: { answer: 'because' }, body: { answer: 'because' } },
  verify: { options: {}, body: {} },
  rework: { options: { reason: 'no' }, body: { reason: 'no' } },
  cancel: { options: {}, body: {} },
  retry: { options: {}, body: {} },
  reassign: { options: { to: '@other' }, body: { to: '@other' } },
  erase: { options: {}, body: {} },
};

/** A new handoff that has come to this state in an honest way. */
async function inState(ctx: Context, state: State): Promise<Handoff> {
  const terms: Partial<Terms> = {
    retry: { ...DEFAULT_RETRY, retriesMax: 0 },
    ...(state === 'delivered' ? { verifiers: [agent('qa')] } : {}),
  };
  const sent = await send(ctx, boss, { from: BOSS, to: DOER, input: {}, terms, draft: state === 'draft' });
  if (!sent.ok) throw new Error(sent.refusal.code);
  const { id } = sent.value;
  if (['accepted', 'delivered', 'completed', 'failed', 'blocked'].includes(state)) await accept(ctx, doer, id, {});
  const settling = { target: id, fence: 1 } as const;
  if (state === 'delivered' || state === 'completed')
    await deliver(ctx, doer, { ...settling, result: 1, evidence: [] });
  if (state === 'failed') await fail(ctx, doer, { ...settling, failure: { code: 'X', message: 'm' } });
  if (state === 'blocked') await block(ctx, doer, id, 1, 'why');
  if (state === 'rejected') await reject(ctx, doer, id, { type: 'scope', reason: 'no' });
  if (state === 'cancelled') await cancel(ctx, boss, id);
  if (state === 'expired') {
    await change(
      ctx,
      id,
      decideBy(SYSTEM, 'expire', (handoff, nowMs) => ({ deed: 'expire', moved: expire(handoff, nowMs) })),
    );
  }
  const { items } = await ctx.store.find({ by: 'ids', ids: [id] });
  const made = present(items[0], id);
  expect(made.state).toBe(state);
  return made;
}

/** What a face said, without the id, which is another one each time. */
interface Said {
  readonly code: string;
  readonly says: string;
}

async function byCommand({ folder, ctx }: Served, move: MoveName, state: State, as: string | null): Promise<Said> {
  const { id } = await inState(ctx, state);
  const answers: { state?: string }[] = [];
  const output: Output = {
    json: true,
    answer: (value) => void answers.push(value as { state?: string }),
    line: () => undefined,
    note: () => undefined,
    warn: () => undefined,
  };
  const options = { ...WISHES[move].options, workspace: folder, as: as ?? 'operator' };
  try {
    await commandFor(MOVES[move])([id], options as never, output);
    return { code: 'done', says: answers[0]?.state ?? '' };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { code: error.code, says: without(id, error.message) };
  }
}

async function byHttp(server: Served, move: MoveName, state: State, token: string): Promise<Said> {
  const { id } = await inState(server.ctx, state);
  const answer = await server.ask('POST', `/api/handoffs/${id}/${move}`, { token, body: WISHES[move].body });
  const said = answer.json as { state?: string; code?: keyof typeof PROBLEMS; detail?: string };
  if (answer.status < 300) return { code: 'done', says: said.state ?? '' };
  expect(answer.status).toBe(said.code === undefined ? 0 : PROBLEMS[said.code].httpStatus);
  return { code: said.code ?? '', says: without(id, said.detail ?? '') };
}

function without(id: string, text: string): string {
  // The only words that are for one face: whoever asks over HTTP has no options.
  return text
    .replaceAll(id, 'ID')
    .replace('; say who you are with --as', '')
    .replace(/; add (?:--fence|"fence").*$/, '');
}

describe('both faces', () => {
  it.each(['@doer', '@boss', null])('do and refuse the same for %s', async (name) => {
    process.setMaxListeners(1_000);
    const server = await served();
    const token = await server.tokenFor(name);
    const differing: string[] = [];
    const codes = new Set<string>();
    for (const move of Object.keys(MOVES) as MoveName[]) {
      for (const state of STATES) {
        const command = await byCommand(server, move, state, name);
        const http = await byHttp(server, move, state, token);
        codes.add(http.code);
        const same = command.code === http.code && command.says === http.says;
        if (!same) differing.push(`${move} ${state}: ${JSON.stringify(command)} ≠ ${JSON.stringify(http)}`);
      }
    }
    expect(differing).toEqual([]);
    expect([...codes]).toEqual(expect.arrayContaining(['done', 'move-not-allowed', 'not-entitled']));
  });
});
