/** Real processes and real tmux: what no test in memory can show. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HandoffId } from '../../src/domain/names.ts';
import { STEPS } from '../../src/domain/succession.ts';
import { needComponent } from '../support/components.ts';
import { until, untilSays } from '../support/processes.ts';
import { makeStage, promptsOf, SHORT_TIMES, stepsOf } from './tmux-world.ts';

const tmux = await needComponent('tmux');

describe.skipIf(tmux === null)('in real tmux', () => {
  it('X5: kill -9 of the server after every step: started again, it ends well, nothing is typed twice', async () => {
    const stage = await makeStage();
    const id = await stage.startAgent();
    const asked = await stage.run(['agent', 'handoff', String(id), '--no-wait']);
    const { handoff } = JSON.parse(asked.stdout) as { readonly handoff: HandoffId };
    let steps = (await stepsOf(stage, handoff)).length;
    while ((await stage.agent(id)).last_handoff === null) {
      const server = stage.start(['serve', '--port', '0']);
      const before = steps;
      await until('another step is done', async () => {
        steps = (await stepsOf(stage, handoff)).length;
        return steps > before || (await stage.agent(id)).last_handoff !== null;
      });
      server.signal('SIGKILL');
      await server.ended;
    }
    expect(await stepsOf(stage, handoff)).toEqual([...STEPS]);
    const outgoing = await stage.agent(id);
    expect([outgoing.state, outgoing.last_handoff?.error]).toEqual(['retired', null]);
    const successors = (await stage.agents()).filter(({ previous_agent_id: before }) => before === id);
    expect(successors).toHaveLength(1);
    expect(promptsOf(stage, outgoing.conversation).filter((line) => line.includes(handoff))).toHaveLength(1);
    expect(promptsOf(stage, successors[0]?.conversation ?? null)).toHaveLength(2);
    expect(stage.log().filter(({ kind }) => kind === 'start')).toHaveLength(2);
  });

  it('X9: an open dialog gets no key; the line is typed when a person has answered it', async () => {
    const stage = await makeStage();
    const id = await stage.startAgent();
    await stage.type(id, 'ask me something');
    const events = join(stage.folder, '.baton', 'agents', String(id), 'events.jsonl');
    await until('it asks', () => existsSync(events) && readFileSync(events, 'utf8').includes('"dialog"'));
    const handing = stage.start(['agent', 'handoff', String(id)]);
    await untilSays(handing, 'dialog_open');
    expect(stage.log().filter(({ kind }) => kind === 'key-in-dialog')).toEqual([]);
    const { pane } = await stage.agent(id);
    stage.tmux('send-keys', '-t', pane?.pane ?? '', 'y');
    expect((await handing.ended).code).toBe(0);
    expect(stage.log().filter(({ kind }) => kind === 'approved')).toEqual([]);
  });

  it('X4: a line that is queued behind a running turn is waited for, and a lost Enter is pressed again', async () => {
    const stage = await makeStage();
    stage.behave({ busyMs: 2_000, thinkMs: 300, losesEnter: true });
    const id = await stage.startAgent();
    await stage.type(id, '');
    await stage.type(id, 'begin the long work');
    await until('it works', () => stage.log().some(({ line }) => line === 'begin the long work'));
    const ended = await stage.run(['agent', 'handoff', String(id)]);
    expect([ended.code, ended.stderr.includes('acknowledged')]).toEqual([0, true]);
  });

  it('a usage limit of one vendor goes on with an agent of another, from a marked substitute', async () => {
    const other = `commands: { command: ["${process.execPath}", "${join(import.meta.dirname, 'fixtures/scripted-agent.mjs')}"] }`;
    const stage = await makeStage(`${SHORT_TIMES}\n  automatic: on\n  fallback: [command]\n  ${other}`);
    const id = await stage.startAgent();
    stage.start(['serve', '--port', '0']);
    await stage.type(id, 'stop me by the limit');
    await until('the handover is over', async () => (await stage.agent(id)).last_handoff !== null);
    const outgoing = await stage.agent(id);
    expect([outgoing.state, outgoing.last_handoff?.error]).toEqual(['retired', null]);
    const next = (await stage.agents()).find(({ previous_agent_id: before }) => before === id);
    expect([next?.adapter, next?.persona, next?.state]).toEqual(['command', 'dev', 'active']);
    // A program without hooks does not tell when it has read a line.
    const heardBy = (): ReturnType<typeof stage.log> =>
      stage.log().filter(({ kind, pid }) => kind === 'prompt' && pid === next?.pane?.pid);
    await until('both lines are read', () => heardBy().length > 1);
    const heard = heardBy();
    expect(heard.map(({ how }) => how)).toEqual(['typed', 'typed']);
    expect(heard[1]?.line).toContain('Baton wrote a substitute');
    const path = /Read (\S+\.md)/.exec(heard[1]?.line ?? '')?.[1] ?? '';
    expect(readFileSync(path, 'utf8')).toContain('stop me by the limit');
  });

  it('a hook that hears nothing of a server keeps what it was told, and says nothing', async () => {
    const stage = await makeStage();
    const env = { BATON_WORKSPACE: stage.folder, BATON_AGENT_ID: '42' };
    const input = Buffer.from(JSON.stringify({ session_id: 's', prompt: 'hello', prompt_id: 'p' }));
    const ended = await stage.run(['hook', 'claude', 'user-prompt-submit'], { env, input });
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([0, '{}\n', '']);
    const kept = readFileSync(join(stage.folder, '.baton', 'agents', '42', 'events.jsonl'), 'utf8');
    expect(JSON.parse(kept)).toMatchObject({ kind: 'prompt', text: 'hello', conversation: 's' });
    const odd = { BATON_WORKSPACE: '/dev/null', BATON_AGENT_ID: '../../x' };
    expect((await stage.run(['hook', 'claude', 'stop'], { env: odd, input })).code).toBe(0);
    const status = Buffer.from('{"context_window":{"context_window_size":200000,"total_input_tokens":45000}}');
    const line = await stage.run(['hook', 'claude', 'status-line'], { env, input: status });
    expect(line.stdout).toBe('[ctx: 27% used, 155k remaining]\n');
  });
});
