/** Every move in every state by everybody: the command line and HTTP agree, in what they do and in what they say. */
import { describe, expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import type { Handoff, Terms } from '../../src/domain/handoff.ts';
import { STATES, type State } from '../../src/domain/lifecycle.ts';
import { expire } from '../../src/domain/moves/end.ts';
import { readAgentId, type AgentId } from '../../src/domain/names.ts';
import { agentPrincipal, SYSTEM } from '../../src/domain/principal.ts';
import { DEFAULT_RETRY } from '../../src/domain/retry.ts';
import { change, decideBy } from '../../src/engine/change.ts';
import type { Surroundings } from '../../src/engine/surroundings.ts';
import { accept } from '../../src/engine/verbs/accept.ts';
import { block } from '../../src/engine/verbs/block.ts';
import { deliver } from '../../src/engine/verbs/deliver.ts';
import { cancel, reject } from '../../src/engine/verbs/end.ts';
import { fail } from '../../src/engine/verbs/fail.ts';
import { send } from '../../src/engine/verbs/send.ts';
import {
  accept as acceptCommand,
  activate as activateCommand,
  block as blockCommand,
  cancel as cancelCommand,
  deliver as deliverCommand,
  fail as failCommand,
  progress as progressCommand,
  reject as rejectCommand,
  release as releaseCommand,
  renew as renewCommand,
  retry as retryCommand,
  unblock as unblockCommand,
  verify as verifyCommand,
} from '../../src/faces/cli/commands/moves.ts';
import type { Output } from '../../src/faces/cli/output.ts';
import { Problem } from '../../src/faces/cli/problem.ts';
import { PROBLEMS } from '../../src/faces/shared/problems.ts';
import { MOVE_NAMES, type MoveName } from '../../src/faces/shared/requests.ts';
import { served, type Served } from './served.ts';

const agent = (name: string): AgentId => present(readAgentId(name), name);
const BOSS = agent('boss');
const DOER = agent('doer');
const boss = agentPrincipal(BOSS);
const doer = agentPrincipal(DOER);

/** The same wish in the words of both faces. */
const WISHES: Readonly<Record<MoveName, { readonly options: object; readonly body: object }>> = {
  activate: { options: {}, body: {} },
  accept: { options: {}, body: {} },
  reject: { options: { type: 'scope', reason: 'no' }, body: { type: 'scope', reason: 'no' } },
  release: { options: { fence: '1' }, body: { fence: 1 } },
  renew: { options: { fence: '1' }, body: { fence: 1 } },
  progress: { options: { fence: '1', at: '0.5' }, body: { fence: 1, fraction: 0.5 } },
  deliver: { options: { fence: '1', artifact: '{}' }, body: { fence: 1, result: {} } },
  fail: { options: { fence: '1', code: 'X', message: 'm' }, body: { fence: 1, code: 'X', message: 'm' } },
  block: { options: { fence: '1', question: 'why' }, body: { fence: 1, question: 'why' } },
  unblock: { options: { answer: 'because' }, body: { answer: 'because' } },
  verify: { options: {}, body: {} },
  cancel: { options: {}, body: {} },
  retry: { options: {}, body: {} },
};

/** A new handoff that has come to this state in an honest way. */
async function inState(around: Surroundings, state: State): Promise<Handoff> {
  const terms: Partial<Terms> = {
    retry: { ...DEFAULT_RETRY, retriesMax: 0 },
    ...(state === 'delivered' ? { verifiers: [agent('qa')] } : {}),
  };
  const sent = await send(around, boss, { from: BOSS, to: DOER, input: {}, terms, draft: state === 'draft' });
  if (!sent.ok) throw new Error(sent.refusal.code);
  const { id } = sent.value;
  if (['accepted', 'delivered', 'completed', 'failed', 'blocked'].includes(state)) await accept(around, doer, id, {});
  const settling = { target: id, fence: 1 } as const;
  if (state === 'delivered' || state === 'completed')
    await deliver(around, doer, { ...settling, result: 1, evidence: [] });
  if (state === 'failed') await fail(around, doer, { ...settling, failure: { code: 'X', message: 'm' } });
  if (state === 'blocked') await block(around, doer, id, 1, 'why');
  if (state === 'rejected') await reject(around, doer, id, { type: 'scope', reason: 'no' });
  if (state === 'cancelled') await cancel(around, boss, id);
  if (state === 'expired') {
    await change(
      around,
      id,
      decideBy(SYSTEM, 'expire', (handoff, nowMs) => ({ deed: 'expire', moved: expire(handoff, nowMs) })),
    );
  }
  const { items } = await around.store.find({ by: 'ids', ids: [id] });
  const made = present(items[0], id);
  expect(made.state).toBe(state);
  return made;
}

/** What a face said, without the id, which is another one each time. */
interface Said {
  readonly code: string;
  readonly says: string;
}

type Command = (args: readonly string[], options: object, output: Output) => Promise<number>;

const COMMANDS: Readonly<Record<MoveName, Command>> = {
  activate: activateCommand,
  accept: acceptCommand,
  reject: rejectCommand,
  release: releaseCommand,
  renew: renewCommand,
  progress: progressCommand,
  deliver: deliverCommand,
  fail: failCommand,
  block: blockCommand,
  unblock: unblockCommand,
  verify: verifyCommand,
  cancel: cancelCommand,
  retry: retryCommand,
};

async function byCommand({ folder, around }: Served, move: MoveName, state: State, as: string | null): Promise<Said> {
  const { id } = await inState(around, state);
  const answers: { state?: string }[] = [];
  const output: Output = {
    json: true,
    answer: (value) => void answers.push(value as { state?: string }),
    line: () => undefined,
    note: () => undefined,
    warn: () => undefined,
  };
  const options = { ...WISHES[move].options, workspace: folder, ...(as === null ? {} : { as }) };
  try {
    await COMMANDS[move]([id], options, output);
    return { code: 'done', says: answers[0]?.state ?? '' };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { code: error.code, says: without(id, error.message) };
  }
}

async function byHttp(server: Served, move: MoveName, state: State, token: string): Promise<Said> {
  const { id } = await inState(server.around, state);
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
  it.each(['@doer', '@boss', null])('do and refuse the same for %s', { timeout: 180_000 }, async (name) => {
    process.setMaxListeners(1_000);
    const server = await served();
    const token = await server.tokenFor(name);
    const differing: string[] = [];
    const codes = new Set<string>();
    for (const move of MOVE_NAMES) {
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
