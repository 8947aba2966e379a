/** How a succession begins: over HTTP, by a full context, and when it may not. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STEPS } from '../../src/domain/succession.ts';
import { needComponent } from '../support/components.ts';
import { until, untilSays, type Running } from '../support/processes.ts';
import { makeStage, promptsOf, SHORT_TIMES, stepsOf, type Stage } from './tmux-world.ts';

const tmux = await needComponent('tmux');

interface Server {
  readonly running: Running;
  readonly ask: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Answered }>;
  readonly url: string;
  readonly token: string;
}

interface Answered {
  readonly status?: unknown;
  readonly error?: string;
  readonly handoff?: never;
  readonly file_path?: string;
  readonly sessions?: readonly { readonly id: number; readonly context: { readonly tier: string } | null }[];
  readonly steps?: readonly { readonly step: string; readonly at: string | null }[];
}

async function serve(stage: Stage): Promise<Server> {
  const running = stage.start(['serve', '--port', '0']);
  await untilSays(running, /login\?code=/);
  const { url, token } = JSON.parse(readFileSync(join(stage.folder, '.baton', 'serve.json'), 'utf8')) as {
    readonly url: string;
    readonly token: string;
  };
  const ask: Server['ask'] = async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Answered };
  };
  return { running, ask, url, token };
}

/** Everything an operator who listens is told. */
function listen({ url, token }: Server): { readonly heard: () => string; readonly close: () => void } {
  const over = new AbortController();
  let text = '';
  void fetch(`${url}/api/events`, { headers: { authorization: `Bearer ${token}` }, signal: over.signal })
    .then(async (answer) => {
      for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>)
        text += Buffer.from(chunk).toString();
    })
    .catch(() => undefined);
  return { heard: () => text, close: () => over.abort() };
}

describe.skipIf(tmux === null)('the trigger', () => {
  it('X1: over HTTP it is answered at once, runs to its end, and a second one is refused with 409', async () => {
    const stage = await makeStage();
    stage.behave({ thinkMs: 1_500 });
    const id = await stage.startAgent();
    const server = await serve(stage);
    const [one, two] = await Promise.all([
      server.ask('POST', `/api/agents/${id}/handoff`, { reason: 'shift_end' }),
      server.ask('POST', `/api/agents/${id}/handoff`, {}),
    ]);
    const [begun, refused] = one.status === 200 ? [one, two] : [two, one];
    expect([begun.status, begun.body.status]).toEqual([200, 'initiated']);
    expect([refused.status, refused.body.error]).toEqual([409, 'already_in_progress']);
    const handoff = begun.body.handoff as never;
    await until('the handover is over', async () => (await stage.agent(id)).last_handoff !== null);
    expect(await stepsOf(stage, handoff)).toEqual([...STEPS]);
    const shown = await server.ask('GET', `/api/agents/${id}`);
    expect(shown.body.steps?.map(({ step, at }) => [step, at !== null])).toEqual(STEPS.map((step) => [step, true]));
    // A retired agent is not active any more.
    const late = await server.ask('POST', `/api/agents/${id}/handoff`, {});
    expect([late.status, late.body.error]).toEqual([400, 'not_active']);
  });

  it('X1: preconditions are judged in order, each with its word', async () => {
    const stage = await makeStage();
    const plain = await stage.startAgent([]);
    const server = await serve(stage);
    const { store } = await stage.open();
    const first = await store.agents.load(plain);
    if (first === null) throw new Error('it was started');
    const paneless = await store.agents.add({ ...first, key: 'by hand', persona: 'dev' as never, pane: null });
    const answers = [
      await server.ask('POST', '/api/agents/999/handoff', {}),
      await server.ask('POST', '/api/agents/nobody/handoff', {}),
      await server.ask('POST', `/api/agents/${plain}/handoff`, {}),
      await server.ask('POST', `/api/agents/${paneless.id}/handoff`, {}),
    ];
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
      [400, 'no_persona'],
      [400, 'no_tmux_pane'],
    ]);
    const wrong = await server.ask('POST', `/api/agents/${plain}/handoff`, { reason: 'no such reason' });
    expect(wrong.status).toBe(400);
  });

  it('X10: a context above the tier hands over by itself, and a successor that begins full does not', async () => {
    const stage = await makeStage(`${SHORT_TIMES}\n  automatic: on`);
    stage.behave({ context: 40 });
    const id = await stage.startAgent();
    const server = await serve(stage);
    await until('the meter shows it', async () => (await stage.agent(id)).context?.percent === 40);
    expect((await stage.agent(id)).context?.tier).toBeNull();
    stage.behave({ context: 85 });
    await stage.type(id, 'go on');
    await until('the handover is over', async () => (await stage.agent(id)).last_handoff !== null);
    expect((await stage.agent(id)).last_handoff).toMatchObject({ error: null, message: null });
    const successor = (await stage.agents()).find(({ previous_agent_id: before }) => before === id);
    const next = successor?.id ?? 0;
    // It is as full as its predecessor from its first answer on: nothing would be won by another one.
    await until('its meter shows it', async () => (await stage.agent(next)).context?.tier === 'handoff');
    const { body } = await server.ask('GET', '/api/agents');
    expect(body.sessions?.find((each) => each.id === next)?.context?.tier).toBe('handoff');
    expect((await stage.agent(next)).handoff).toBeNull();
    expect(promptsOf(stage, successor?.conversation ?? null)).toHaveLength(2);
  });

  it('X9, X4: a hard error reaches who listens, the record, the command line and the agent is still there', async () => {
    const stage = await makeStage();
    stage.behave({ on: 'ignore' });
    const id = await stage.startAgent();
    const server = await serve(stage);
    const operator = listen(server);
    await server.ask('POST', `/api/agents/${id}/handoff`, {});
    await until('it has failed', async () => (await stage.agent(id)).last_handoff?.error === 'file_not_found');
    await until('the event is heard', () => operator.heard().includes('event: handoff_error'));
    operator.close();
    const event = /event: handoff_error\ndata: (.*)/.exec(operator.heard())?.[1] ?? '{}';
    expect(JSON.parse(event)).toMatchObject({ agent_id: id, code: 'file_not_found', step: 'document-verified' });
    expect((await stage.agent(id)).state).toBe('active');
    expect((await stage.run(['agent', 'list'])).stdout).toContain('failed: file_not_found');
    // A failed one does not answer 409 for ever.
    stage.behave({});
    const again = await stage.run(['agent', 'handoff', String(id)]);
    expect(again.code).toBe(0);
  });
});
