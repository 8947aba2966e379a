/** Public keys that verify the commits and moves of agents. */
import { instantOrNull, instantText } from '../../../foundation/instant-text.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import type { JsonObject } from '../../../foundation/json.ts';
import { principalText } from '../../../domain/principal.ts';
import { addKey, endKey, keysIn, type KeyProblem, type KeyRecord } from '../../../workspace/agent-keys.ts';
import { agentArgument, textArgument } from '../arguments.ts';
import type { Output } from '../output.ts';
import { cliProblem, type Problem } from '../problem.ts';
import { printTable } from '../table.ts';
import { withOperator, type CommonOptions } from '../with-workspace.ts';

const KEY_TEXT_MAX = 2_000;

export async function newKey(args: readonly string[], options: CommonOptions, output: Output): Promise<void> {
  const agent = agentArgument(args[0] ?? '', 'agent');
  const text = textArgument(args.slice(1).join(' '), 'key', KEY_TEXT_MAX);
  return withOperator(options, { scope: 'write', explicitAs: 'register a key' }, async ({ ctx }, principal) =>
    printEnded(await addKey(ctx.store, agent, text, principalText(principal)), 'added', output),
  );
}

export async function listKeys(_args: readonly string[], options: CommonOptions, output: Output): Promise<void> {
  return withOperator(options, { scope: 'read' }, async ({ ctx }) => {
    const keys = keysIn(await ctx.store.policy.current());
    printTable(output, keys.map(viewOf), [HEAD, ...keys.map(rowOf)], 'no keys are registered');
  });
}

/** For a key that somebody else may have. */
export const revokeKey = ending('revoke');

/** For a key that the agent has replaced. */
export const retireKey = ending('retire');

function ending(how: 'revoke' | 'retire') {
  return async (args: readonly string[], options: CommonOptions, output: Output): Promise<void> => {
    const fingerprint = textArgument(args[0] ?? '', 'fingerprint');
    return withOperator(options, { scope: 'write', explicitAs: `${how} a key` }, async ({ ctx }, principal) => {
      const ended = await endKey(ctx.store, how, fingerprint, principalText(principal));
      return printEnded(ended, `${how}d`, output);
    });
  };
}

function printEnded(answer: KeyRecord | KeyProblem, what: string, output: Output): void {
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
  return [fingerprint, `@${agent}`, state, instantText(addedAt), displayLine(addedBy)];
}

function viewOf({ fingerprint, agent, text, revokedAt, retiredAt, addedAt, addedBy }: KeyRecord): JsonObject {
  return {
    fingerprint,
    for: `@${agent}`,
    key: text,
    addedAt: instantText(addedAt),
    addedBy,
    revokedAt: instantOrNull(revokedAt),
    retiredAt: instantOrNull(retiredAt),
  };
}
