/** Public keys with which agents sign their commits and their moves. */
import { instantOrNull } from '../../../foundation/instant-text.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import type { JsonObject } from '../../../foundation/json.ts';
import { principalText } from '../../../domain/principal.ts';
import { addKey, endKey, keysIn, type KeyProblem, type KeyRecord } from '../../../workspace/agent-keys.ts';
import { agentArgument, textArgument } from '../arguments.ts';
import type { Output } from '../output.ts';
import { cliProblem, type Problem } from '../problem.ts';
import { tableOf } from '../table.ts';
import { mustBeOperator, type CommonOptions, withOpened } from '../with-workspace.ts';

const KEY_TEXT_MAX = 2_000;

export async function newKey(args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  const agent = agentArgument(args[0] ?? '', 'agent');
  const text = textArgument(args.slice(1).join(' '), 'key', KEY_TEXT_MAX);
  return withOpened(options, async (app) => {
    const by = principalText(await mustBeOperator(app, options, 'write', 'register a key'));
    tell(await addKey(app.ctx.store, agent, text, by), 'added', output);
    return 0;
  });
}

export async function listKeys(_args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  return withOpened(options, async (app) => {
    await mustBeOperator(app, options, 'read');
    const keys = keysIn(await app.ctx.store.policy.current());
    if (output.json) output.answer(keys.map(viewOf));
    else if (keys.length === 0) output.note('there are none');
    else output.line(tableOf(HEAD, keys.map(rowOf)));
    return 0;
  });
}

/** Somebody else may have it. */
export function revokeKey(args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  return end('revoke', args, options, output);
}

/** The agent has another one now. */
export function retireKey(args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  return end('retire', args, options, output);
}

async function end(
  how: 'revoke' | 'retire',
  args: readonly string[],
  options: CommonOptions,
  output: Output,
): Promise<number> {
  const fingerprint = textArgument(args[0] ?? '', 'fingerprint');
  return withOpened(options, async (app) => {
    const by = principalText(await mustBeOperator(app, options, 'write', `${how} a key`));
    tell(await endKey(app.ctx.store, how, fingerprint, by), how === 'revoke' ? 'revoked' : 'retired', output);
    return 0;
  });
}

function tell(answer: KeyRecord | KeyProblem, what: string, output: Output): void {
  if (typeof answer === 'string') throw problemOf(answer);
  if (output.json) output.answer(viewOf(answer));
  else output.line(`${answer.fingerprint} ${what} for @${answer.agent}`);
}

function problemOf(problem: KeyProblem): Problem {
  switch (problem) {
    case 'not-a-key':
      return cliProblem(
        'bad-request',
        'not a public Ed25519 key; give the text of a file such as ~/.ssh/id_ed25519.pub',
      );
    case 'known-key':
      return cliProblem('bad-request', 'this key was registered before; make a new one with: ssh-keygen -t ed25519');
    case 'no-such-key':
      return cliProblem('no-such-token', 'there is no such key that is still good; see: baton key list');
    case 'too-many':
      return cliProblem('bad-request', 'there are too many keys; revoke those that nobody uses');
    case 'contended':
      return cliProblem('fault', 'other processes store the policy all the time; try again');
  }
}

const HEAD = ['fingerprint', 'for', 'state', 'added', 'by'];

function rowOf({ fingerprint, agent, revokedAt, retiredAt, addedAt, addedBy }: KeyRecord): readonly string[] {
  const state = revokedAt !== null ? 'revoked' : retiredAt !== null ? 'retired' : 'good';
  return [fingerprint, `@${agent}`, state, new Date(addedAt).toISOString(), displayLine(addedBy)];
}

function viewOf({ fingerprint, agent, text, revokedAt, retiredAt, addedAt, addedBy }: KeyRecord): JsonObject {
  return {
    fingerprint,
    for: `@${agent}`,
    key: text,
    addedAt: new Date(addedAt).toISOString(),
    addedBy,
    revokedAt: instantOrNull(revokedAt),
    retiredAt: instantOrNull(retiredAt),
  };
}
