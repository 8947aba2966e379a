/** Everything that can go wrong: the operator learns what happened and what to do, and nobody's work is lost. */
import { describe, expect, it } from 'vitest';
import { notificationRules } from '../../src/adapters/notifications/notification-rules.ts';
import type { Fact } from '../../src/domain/facts.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import type { AgentSession } from '../../src/domain/agent-session.ts';
import type { AgentId, HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal, OPERATOR, provenWith } from '../../src/domain/principal.ts';
import { progressOf, STEPS } from '../../src/domain/succession.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { cancel } from '../../src/engine/handoffs/reject-and-cancel.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { endSession } from '../../src/engine/succession/advance.ts';
import { Killed, scriptedWorld, type Behavior, type ScriptedWorld } from './scripted-world.ts';

async function factsOf({ ctx }: ScriptedWorld, handoff: HandoffId) {
  return (await ctx.store.facts({ handoff, max: 1_000 })).map(({ fact }) => fact);
}

async function reload({ ctx }: ScriptedWorld, id: number): Promise<AgentSession> {
  const session = await ctx.store.agents.load(id);
  if (session === null) throw new Error(`agent ${id} is on record`);
  return session;
}

/** The labels of the tokens with which something can be done now. */
async function goodTokens({ ctx }: ScriptedWorld): Promise<readonly (string | null)[]> {
  return (await ctx.store.tokens.list()).filter(({ revokedAt }) => revokedAt === null).map(({ label }) => label);
}

/** What is shown on the desktop for a fact. */
function notesOf(handoff: Handoff, fact: Fact): readonly unknown[] {
  const rules = notificationRules({ desktop: true, webhooks: [], allowHosts: [] });
  const effects = rules(handoff, fact).filter(({ kind }) => kind === 'desktop');
  return effects.map(({ payload }) => JSON.parse(payload) as unknown);
}

/** Begins and runs to its end; answers the outgoing agent as it is then. */
async function handOver(stage: ScriptedWorld, agent: AgentSession): Promise<AgentSession> {
  const begun = await stage.begin(agent.id);
  expect(begun.ok).toBe(true);
  expect(await stage.advance(agent.id)).toBe('over');
  return reload(stage, agent.id);
}

describe('X4, X9: the outgoing agent', () => {
  it.each([
    ['writes nothing', { document: 'ignore' }, 'file_not_found'],
    ['writes an empty file', { document: 'empty' }, 'file_empty'],
    ['stalls in the middle', { document: 'half' }, 'document_incomplete'],
    ['writes to the wrong place', { document: 'wrong-place' }, 'file_not_found'],
    ['dies before it writes', { document: 'die' }, 'agent_died'],
    ['reports an error', { document: 'error' }, 'agent_error'],
    ['leaves a link', { document: 'link' }, 'document_refused'],
    ['takes the line and is never heard of again', { document: 'silent' }, 'file_not_found'],
    ['does not take the line', { document: 'deaf' }, 'not_delivered'],
    ['asks its user something and nobody answers', { dialog: true }, 'dialog_open'],
  ] as const satisfies readonly (readonly [string, Partial<Behavior>, string])[])('%s', async (_what, how, code) => {
    const stage = scriptedWorld();
    const agent = await stage.start();
    Object.assign(stage.behavior, how);
    const outgoing = await handOver(stage, agent);
    expect(outgoing.lastSuccession?.error?.code).toBe(code);
    expect(outgoing.lastSuccession?.error?.says).toMatch(/; .+/);
    // It is as it was, hooks answer as before, and nobody was started in its place.
    expect([outgoing.state, outgoing.succession, stage.notes.get(agent.id)]).toEqual(['active', null, null]);
    expect(stage.started).toHaveLength(1);
    const facts = await factsOf(stage, outgoing.lastSuccession?.handoff as HandoffId);
    expect(facts.at(-1)).toMatchObject({ to: 'failed' });
    expect(JSON.parse(facts.at(-1)?.detail ?? '{}')).toMatchObject({ code, succession: { agent_id: agent.id } });
    // X9: the person at the machine reads what happened and what to do.
    const failed = facts.at(-1);
    const whole = await stage.ctx.store.load(outgoing.lastSuccession?.handoff as HandoffId);
    if (failed === undefined || whole === null) throw new Error('it is on record');
    const [note] = notesOf(whole.handoff, failed);
    expect(note).toEqual({
      title: 'Succession of agent 1 (dev): manual failed',
      text: outgoing.lastSuccession?.error?.says,
    });
    // A new trigger begins a new one.
    Object.assign(stage.behavior, { document: 'write', dialog: false });
    if (code === 'agent_died') return;
    expect((await handOver(stage, outgoing)).lastSuccession?.error).toBeNull();
  });

  it('is told in words where a file of that name lies', async () => {
    const stage = scriptedWorld();
    const agent = await stage.start();
    stage.behavior.document = 'wrong-place';
    expect((await handOver(stage, agent)).lastSuccession?.error?.says).toContain(
      'lies in /w, which is the wrong place',
    );
  });

  it('a lost hook costs time and not the handover', async () => {
    const stage = scriptedWorld();
    const agent = await stage.start();
    stage.behavior.document = 'no-stop';
    const outgoing = await handOver(stage, agent);
    expect([outgoing.state, outgoing.lastSuccession?.error]).toEqual(['retired', null]);
  });

  it('a line that joins a running turn is answered by the end of that turn', async () => {
    const stage = scriptedWorld();
    const agent = await stage.start();
    stage.say(agent.id, { kind: 'prompt', text: 'run the tests', turn: 'before' });
    stage.behavior.document = 'joins';
    expect((await handOver(stage, agent)).lastSuccession?.error).toBeNull();
  });

  it('late hooks of a retired agent change nothing', async () => {
    const stage = scriptedWorld();
    const agent = await stage.start();
    const outgoing = await handOver(stage, agent);
    const before = await stage.ctx.store.agents.list({ max: 10 });
    for (const kind of ['turn-ended', 'dialog', 'started', 'prompt'] as const) stage.say(agent.id, { kind });
    stage.say(agent.id, { kind: 'turn-failed', turn: 't', error: 'rate_limit', says: 'limit' });
    expect(await stage.advance(agent.id)).toBe('over');
    expect(await stage.begin(agent.id)).toMatchObject({ ok: false, refusal: { code: 'agent-not-active' } });
    expect(await stage.ctx.store.agents.list({ max: 10 })).toEqual(before);
    expect(outgoing.state).toBe('retired');
  });

  it('one that ends after its document was written has handed over', async () => {
    const stage = scriptedWorld();
    const agent = await stage.start();
    stage.behavior.document = 'die-after';
    expect((await handOver(stage, agent)).lastSuccession?.error).toBeNull();
  });

  it('the end of an earlier turn is not taken for the end of ours', async () => {
    const stage = scriptedWorld();
    const agent = await stage.start();
    // The turn before ours ends after our line was queued: its end says nothing about the document.
    stage.behavior.document = 'ignore';
    stage.behavior.busy = true;
    const begun = await stage.begin(agent.id);
    const path = begun.ok ? begun.value.begun.documentPath : '';
    const beforeMs = stage.clock.monotonicMs();
    const looks = setInterval(() => {
      if (stage.clock.monotonicMs() - beforeMs < 20_000) return;
      clearInterval(looks);
      stage.behavior.busy = false;
      void stage.runtime.personaFiles.write(path, DOCUMENT_TEXT);
      stage.say(agent.id, { kind: 'turn-ended', turn: 'ours', background: false });
    }, 0);
    await stage.advance(agent.id);
    clearInterval(looks);
    expect((await reload(stage, agent.id)).lastSuccession?.error).toBeNull();
  });
});

const DOCUMENT_TEXT = '## Current work\n\nx\n';

describe('X9: a dialog', () => {
  it('is never answered by us: no key is pressed until it is closed, and the operator is told', async () => {
    const stage = scriptedWorld();
    const agent = await stage.start();
    stage.behavior.dialog = true;
    const begun = await stage.begin(agent.id);
    const handoff = (begun.ok ? begun.value.begun.handoff : '') as HandoffId;
    const beforeMs = stage.clock.monotonicMs();
    const looks = setInterval(() => {
      if (stage.clock.monotonicMs() - beforeMs < 60_000) return;
      stage.behavior.dialog = false;
      clearInterval(looks);
    }, 0);
    await stage.advance(agent.id);
    clearInterval(looks);
    expect((await reload(stage, agent.id)).lastSuccession?.error).toBeNull();
    expect(stage.lines.filter(({ dialog }) => dialog)).toEqual([]);
    const told = (await factsOf(stage, handoff)).filter(({ detail }) => detail.includes('"problem":"dialog_open"'));
    expect(told).toHaveLength(1);
    const whole = await stage.ctx.store.load(handoff);
    const shown = whole === null ? [] : told.flatMap((fact) => notesOf(whole.handoff, fact));
    expect(shown).toMatchObject([{ text: expect.stringContaining('answer it in its terminal') as string }]);
  });
});

describe('X9: the terminal', () => {
  it.each([
    ['is closed', (stage: ScriptedWorld, name: string) => stage.host.close(name), 'pane_gone'],
    ['runs a shell now', (stage: ScriptedWorld, name: string) => stage.host.replaceProgram(name), 'pane_changed'],
    ['cannot be asked', (stage: ScriptedWorld) => stage.host.fail('server exited unexpectedly'), 'host_failed'],
  ] as const)('%s', async (_what, spoil, code) => {
    const stage = scriptedWorld();
    const agent = await stage.start();
    spoil(stage, agent.pane?.session ?? '');
    const outgoing = await handOver(stage, agent);
    expect(outgoing.lastSuccession?.error?.code).toBe(code);
    expect(stage.lines).toEqual([]);
  });

  it('in copy mode is left first', async () => {
    const stage = scriptedWorld();
    const agent = await stage.start();
    stage.host.setCopyMode(agent.pane?.session ?? '', true);
    expect((await handOver(stage, agent)).lastSuccession?.error).toBeNull();
  });
});

describe('X6, X9: the successor', () => {
  it('whose program is not there costs nothing: the predecessor was not retired', async () => {
    const stage = scriptedWorld();
    const agent = await stage.start();
    stage.behavior.canRun = false;
    const outgoing = await handOver(stage, agent);
    expect(outgoing.lastSuccession?.error?.code).toBe('create_failed');
    expect([outgoing.state, stage.started.length]).toEqual(['active', 1]);
  });

  it.each([
    ['dies at once', 'dies', 'create_failed', 'no such model'],
    ['never speaks', 'silent', 'create_failed', 'none of its hooks spoke'],
    ['never ends its first turn', 'stuck', 'not_primed', 'did not end its first turn'],
    ['does not take the line', 'deaf', 'not_delivered', 'did not take the line'],
  ] as const)('that %s is ended, and the predecessor is brought back', async (_what, how, code, says) => {
    const stage = scriptedWorld();
    const agent = await stage.start();
    stage.behavior.successor = how;
    const outgoing = await handOver(stage, agent);
    expect(outgoing.lastSuccession?.error).toMatchObject({ code });
    expect(outgoing.lastSuccession?.error?.says).toContain(says);
    expect(outgoing.lastSuccession?.error?.says).toContain('brought back with its whole conversation');
    expect([outgoing.state, outgoing.pane?.session === agent.pane?.session]).toEqual(['active', false]);
    expect(stage.started.at(-1)?.argv).toContain('--resume');
    // The successor that was begun is over, and the next try has one of its own.
    expect((await reload(stage, 2)).state).toBe('ended');
    stage.behavior.successor = 'well';
    const again = await handOver(stage, outgoing);
    expect([again.state, again.lastSuccession?.error]).toEqual(['retired', null]);
    expect(await stage.ctx.store.agents.list({ open: true, max: 10 })).toMatchObject([{ id: 3, predecessor: 1 }]);
  });
});

it('X12: the successor is told what has changed in the repository since the document was written', async () => {
  const stage = scriptedWorld();
  const agent = await stage.start();
  const state = { branch: 'main', head: 'a'.repeat(40), dirty: [] };
  stage.git.push(state, { ...state, head: 'b'.repeat(40) });
  const outgoing = await handOver(stage, agent);
  expect(stage.lines.at(-1)?.text).toContain(`Since then: HEAD is ${'b'.repeat(12)}, it was ${'a'.repeat(12)}.`);
  const facts = await factsOf(stage, outgoing.lastSuccession?.handoff as HandoffId);
  const recorded = facts.map(({ detail }) => detail).find((detail) => detail.includes('"quality"')) ?? '{}';
  expect(JSON.parse(recorded)).toMatchObject({ git: { branch: 'main', head: 'a'.repeat(40) } });
});

describe('a usage limit', () => {
  it('the limited agent is retired first, Baton writes a marked substitute, and another one goes on', async () => {
    const stage = scriptedWorld();
    const agent = await stage.start();
    const begun = await stage.begin(agent.id, { reason: 'usage_limit', plan: 'substitute' });
    await stage.advance(agent.id);
    const handoff = (begun.ok ? begun.value.begun.handoff : '') as HandoffId;
    const { done } = progressOf(await factsOf(stage, handoff));
    const order = [...done];
    expect(order.indexOf('outgoing-retired')).toBeLessThan(order.indexOf('document-verified'));
    expect(order.at(-1)).toBe('acknowledged');
    expect(stage.lines.map(({ agent: to }) => to)).toEqual([2]);
    expect(stage.lines[0]?.text).toContain('Baton wrote a substitute');
  });
});

describe('X5: the process that drives is killed', () => {
  it.each(['before', 'after'] as const)(
    '%s any call to the outside: it goes on, nothing is typed twice, there is no second successor',
    async (when) => {
      let isOver = false;
      for (let call = 1; !isOver; call += 1) {
        const stage = scriptedWorld({ strict: true });
        const agent = await stage.start();
        const begun = await stage.begin(agent.id);
        const handoff = (begun.ok ? begun.value.begun.handoff : '') as HandoffId;
        stage.killAt(call, when);
        isOver = await stage.advance(agent.id).then(
          () => true,
          (error: unknown) => {
            if (!(error instanceof Killed)) throw error;
            return false;
          },
        );
        stage.killAt(null);
        // Until somebody starts a server again.
        stage.clock.advance(10_000);
        await stage.advance(agent.id);
        const outgoing = await reload(stage, agent.id);
        const typed = stage.lines.map(({ agent: to, text }) => [to, text.slice(0, 5)]);
        expect({ call, state: outgoing.state, error: outgoing.lastSuccession?.error ?? null, typed }).toEqual({
          call,
          state: 'retired',
          error: null,
          typed: [
            [1, 'Baton'],
            [2, 'Baton'],
          ],
        });
        expect(stage.started.map(({ agent: each }) => each)).toEqual([1, 2]);
        const { done } = progressOf(await factsOf(stage, handoff));
        expect([...done]).toEqual([...STEPS]);
        expect(await goodTokens(stage)).toEqual(['agent 2']);
        expect(call).toBeLessThan(2_000);
      }
    },
  );

  it('also before the handoff was opened', async () => {
    for (let call = 1; call < 12; call += 1) {
      const stage = scriptedWorld();
      const agent = await stage.start();
      stage.killAt(call, 'after');
      const begun = await stage.begin(agent.id).catch(() => null);
      stage.killAt(null);
      const { succession } = await reload(stage, agent.id);
      if (succession === null) continue;
      await stage.advance(agent.id);
      const outgoing = await reload(stage, agent.id);
      expect([call, begun === null, outgoing.lastSuccession?.error]).toEqual([call, begun === null, null]);
    }
  });
});

describe('where everybody shows a token', () => {
  it('X6: each session has one of its own, and that of a retired one is good for nothing', async () => {
    const stage = scriptedWorld({ strict: true });
    const agent = await stage.start();
    expect(await goodTokens(stage)).toEqual(['agent 1']);
    // What the predecessor has taken stays with its persona: the successor goes on with it.
    const { token } = await reload(stage, agent.id);
    const sent = await send(stage.ctx, OPERATOR, {
      from: 'lead' as AgentId,
      to: 'dev' as AgentId,
      input: {},
    });
    const id = sent.ok ? sent.value.id : ('' as HandoffId);
    const dev = provenWith(agentPrincipal('dev' as AgentId), token ?? '');
    expect((await accept(stage.ctx, dev, id)).ok).toBe(true);
    await handOver(stage, agent);
    expect(await goodTokens(stage)).toEqual(['agent 2']);
    expect((await stage.ctx.store.load(id))?.handoff.state).toBe('accepted');
    // One that is stopped has no successor: what it had taken is offered again.
    await endSession(stage.ctx, stage.runtime, 2);
    expect(await goodTokens(stage)).toEqual([]);
  });

  it('X9: a predecessor that is brought back gets a new one, and its failed successor keeps none', async () => {
    const stage = scriptedWorld({ strict: true });
    const agent = await stage.start();
    const { token } = await reload(stage, agent.id);
    stage.behavior.successor = 'dies';
    const outgoing = await handOver(stage, agent);
    expect(await goodTokens(stage)).toEqual(['agent 1']);
    expect(outgoing.token === undefined || outgoing.token === token).toBe(false);
  });
});

it('X1: of many triggers at once one begins', async () => {
  const stage = scriptedWorld();
  const agent = await stage.start();
  const answers = await Promise.all(Array.from({ length: 8 }, () => stage.begin(agent.id)));
  const refused = answers.flatMap((answer) => (answer.ok ? [] : [answer.refusal.code]));
  expect(refused).toEqual(Array.from({ length: 7 }, () => 'succession-in-progress'));
});

it('a cancelled handoff ends the succession, and the agent is as it was', async () => {
  const stage = scriptedWorld();
  const agent = await stage.start();
  stage.behavior.dialog = true;
  const begun = await stage.begin(agent.id);
  const handoff = (begun.ok ? begun.value.begun.handoff : '') as HandoffId;
  expect((await cancel(stage.ctx, OPERATOR, handoff, 'not now')).ok).toBe(true);
  await stage.advance(agent.id);
  const outgoing = await reload(stage, agent.id);
  expect([outgoing.state, outgoing.lastSuccession?.error?.code, stage.lines]).toEqual(['active', 'cancelled', []]);
});
