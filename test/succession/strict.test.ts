/** Where everybody shows a token, in real tmux: each session has its own; stopping one; hooks that are posted. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needComponent } from '../support/components.ts';
import { untilSays } from '../support/processes.ts';
import { sqlite } from '../cli/workspaces.ts';
import { makeStage, SHORT_TIMES, type Stage } from './tmux-world.ts';

const tmux = await needComponent('tmux');

it.skipIf(tmux === null)(
  'X6: a successor has a token of its own, that of its predecessor is refused, and stop ends both agent and token',
  async () => {
    const operator: Record<string, string> = {};
    const stage = await makeStage(`${SHORT_TIMES}\nidentity: strict`, sqlite, operator);
    operator['BATON_TOKEN'] = (await stage.run(['token', 'new', '--operator'])).stdout.trim();
    const id = await stage.startAgent();
    expect((await stage.run(['agent', 'handoff', String(id)])).code).toBe(0);
    const tokens = stage.log().flatMap(({ kind, token }) => (kind === 'start' ? [token ?? ''] : []));
    expect(new Set([...tokens, operator['BATON_TOKEN']]).size).toBe(3);
    // No command line shows one to other users of the machine.
    const commandLines = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout;
    for (const token of tokens) expect(commandLines).not.toContain(token);
    expect(await inboxWith(stage, tokens[0])).toEqual([4, expect.stringContaining('revoked')]);
    expect(await inboxWith(stage, tokens[1])).toEqual([0, '']);

    await hooksOverHttp(stage, tokens);

    const { pane } = await stage.agent(2);
    expect((await stage.run(['agent', 'stop', '2'])).stderr).toContain('agent 2 is ended');
    expect((await stage.agent(2)).state).toBe('ended');
    expect(stage.tmux('list-panes', '-a', '-F', '#{pane_id}')).not.toContain(`${pane?.pane ?? ''}\n`);
    expect((await inboxWith(stage, tokens[1]))[0]).toBe(4);
    // Again is the same as once; and there is no agent 9.
    expect((await stage.run(['agent', 'stop', '2'])).code).toBe(0);
    const nobody = await stage.run(['agent', 'stop', '9']);
    expect([nobody.code, nobody.stderr]).toEqual([3, expect.stringContaining('baton agent list')]);
  },
);

async function inboxWith(stage: Stage, token = ''): Promise<readonly [number | null, string]> {
  const ran = await stage.run(['inbox', '@dev', '--as', '@dev', '--json'], { env: { BATON_TOKEN: token } });
  return [ran.code, ran.stderr];
}

/** X11: an agent that posts its hooks instead of running a command. */
async function hooksOverHttp(stage: Stage, tokens: readonly string[]): Promise<void> {
  const server = stage.start(['serve', '--port', '0']);
  await untilSays(server, /login\?code=/);
  const { url } = JSON.parse(readFileSync(join(stage.folder, '.baton', 'serve.json'), 'utf8')) as {
    readonly url: string;
  };
  const post = async (event: string, query: string, token: string, body: unknown = {}): Promise<readonly unknown[]> => {
    const answer = await fetch(`${url}/api/hooks/${event}?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return [answer.status, await answer.json()];
  };
  const [retired = '', successor = ''] = tokens;
  const told = { session_id: 's-2', prompt: 'posted by hand', prompt_id: 'p' };
  expect(await post('user-prompt-submit', 'agent=2', successor, told)).toEqual([200, {}]);
  const journal = readFileSync(join(stage.folder, '.baton', 'agents', '2', 'events.jsonl'), 'utf8');
  expect(journal).toContain('posted by hand');
  // The late hook of a retired agent changes nothing.
  expect((await post('stop', 'agent=2', retired))[0]).toBe(401);
  expect((await post('stop', 'agent=9', successor))[0]).toBe(404);
  expect((await post('stop', 'agent=../2', successor))[0]).toBe(400);
  // What nobody knows is no reason to stand in the agent's way.
  expect(await post('no-such-event', 'agent=2&vendor=codex', successor, { odd: [1] })).toEqual([200, {}]);
  // Work that is offered to it is told in the same way.
  const sent = await stage.run(['send', '--from', '@lead', '--to', '@dev', '--title', 'Paint it']);
  expect(sent.stderr).not.toContain('baton: ');
  expect(await post('stop', 'agent=2', successor)).toEqual([
    200,
    { decision: 'block', reason: expect.stringContaining('"Paint it"') as string },
  ]);
  expect(await post('stop', 'agent=2', successor)).toEqual([200, {}]);
  server.signal('SIGTERM');
  await server.ended;
}
