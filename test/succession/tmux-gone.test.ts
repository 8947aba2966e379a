/** The tmux server ends under its agents, as when a user kills it or the machine runs out of memory. */
import { expect, it } from 'vitest';
import { needComponent } from '../support/components.ts';
import { until } from '../support/processes.ts';
import { makeStage } from './tmux-world.ts';

const tmux = await needComponent('tmux');
const isAsked = ({ line }: { readonly line?: string }): boolean => line?.includes('handoff document to') === true;

it.skipIf(tmux === null)(
  'X9: a tmux that is gone is told with what to do, before and while an agent hands over, and the persona starts again',
  async () => {
    const stage = await makeStage();
    const said = (id: number): string =>
      `the pane of agent ${id} is gone; start the persona again with: baton agent start`;
    const first = await stage.startAgent();
    stage.tmux('kill-server');
    const refused = await stage.run(['agent', 'handoff', String(first)]);
    expect([refused.code, refused.stderr]).toEqual([8, expect.stringContaining(`pane_gone: ${said(first)}`)]);
    expect(stage.log().filter(isAsked)).toEqual([]);

    const second = await stage.startAgent();
    stage.behave({ on: 'ignore', noStop: true });
    const handing = stage.start(['agent', 'handoff', String(second)]);
    await until('the instruction was typed', () => stage.log().some(isAsked));
    stage.tmux('kill-server');
    const { code, stderr } = await handing.ended;
    expect([code, stderr]).toEqual([8, expect.stringContaining(`pane_gone: ${said(second)}`)]);
    const { last_handoff: handedOver, state: before } = await stage.agent(second);
    expect([handedOver?.error, handedOver?.message, before]).toEqual(['pane_gone', said(second), 'active']);
    expect((await stage.run(['agent', 'list'])).stdout.match(/failed: pane_gone/g)).toHaveLength(2);

    // A server looks after the agents: it sees that they have ended, and goes on with those that run.
    stage.behave({});
    const third = await stage.startAgent();
    const server = stage.start(['serve', '--port', '0']);
    await until('the server has seen it', async () => {
      const states = new Map((await stage.agents()).map(({ id, state }) => [id, state]));
      return [first, second].every((id) => states.get(id) === 'ended') && states.get(third) === 'active';
    });
    server.signal('SIGTERM');
    await server.ended;
  },
);
