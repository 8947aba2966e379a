import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Effect } from '../../src/domain/decision.ts';
import type { Fact } from '../../src/domain/facts.ts';
import { reject } from '../../src/engine/handoffs/reject-and-cancel.ts';
import { retry } from '../../src/engine/handoffs/retry.ts';
import { sendEffects } from '../../src/engine/effects.ts';
import { as, documentsWorld, ON, type DocumentsWorld } from '../folders/documents-world.ts';
import { tempFolder } from '../support/processes.ts';

const CHIEF = `${ON}agents: { ann: { roles: [chief] } }\n`;
const GAP = { type: 'skill_gap', reason: 'no Rust here' };

async function worldWith(configuration: string): Promise<DocumentsWorld> {
  return documentsWorld(tempFolder(), configuration);
}

async function eventsFor({ ctx }: DocumentsWorld, agent: string): Promise<readonly string[]> {
  const entries = await ctx.store.outbox.inbox(agent as never, 20);
  return entries.map(({ payload }: Effect) => (JSON.parse(payload) as { readonly event: string }).event);
}

async function lastFact({ ctx }: DocumentsWorld, handoff: string): Promise<Fact | undefined> {
  return (await ctx.store.facts({ handoff: handoff as never, max: 100 })).at(-1)?.fact;
}

describe('a rejection for want of a skill', () => {
  it('D10, D15: is told to its sender and escalated to the chief; the trail says to whom', async () => {
    const world = await worldWith(CHIEF);
    const id = await world.at('offered');
    expect(await reject(world.ctx, as('claude'), id, GAP)).toMatchObject({ ok: true });
    expect(await eventsFor(world, 'grok')).toEqual(['rejected']);
    expect(await eventsFor(world, 'ann')).toEqual(['escalated']);
    expect(JSON.parse((await lastFact(world, id))?.detail ?? '')).toEqual({ ...GAP, escalatedTo: ['ann'] });
    expect(world.place(id)).toMatch(/^\d{4}\/\d{2}$/);
    expect(world.fields(id)).toMatchObject({
      status: 'Rejected',
      rejection_reason: { type: 'skill_gap', message: GAP.reason },
      escalated_to: 'ann',
    });
  });

  it.each(['skill-gap', 'Skill gap', 'SKILL_GAP'])('D10: is known by the type %j too', async (type) => {
    const world = await worldWith(CHIEF);
    await reject(world.ctx, as('claude'), await world.at('accepted'), { ...GAP, type });
    expect(await eventsFor(world, 'ann')).toEqual(['escalated']);
  });

  it('D10: reaches a chief who is the sender as both, and not one who said it', async () => {
    const sender = await worldWith(`${ON}agents: { grok: { roles: [chief] }, claude: { roles: [chief] } }\n`);
    await reject(sender.ctx, as('claude'), await sender.at('offered'), GAP);
    expect((await eventsFor(sender, 'grok')).toSorted()).toEqual(['escalated', 'rejected']);
    expect(await eventsFor(sender, 'claude')).toEqual(['offered']);
  });

  it('D10: other types are not escalated', async () => {
    const world = await worldWith(CHIEF);
    const id = await world.at('offered');
    await reject(world.ctx, as('claude'), id, { type: 'capacity', reason: 'too much' });
    expect(await eventsFor(world, 'ann')).toEqual([]);
    expect(world.fields(id)['escalated_to'] ?? null).toBeNull();
    expect(JSON.parse((await lastFact(world, id))?.detail ?? '')).not.toHaveProperty('escalatedTo');
  });

  it('D10: a replacement for somebody else names the one it replaces', async () => {
    const world = await worldWith(CHIEF);
    const id = await world.at('offered');
    await reject(world.ctx, as('claude'), id, GAP);
    const made = await retry(world.ctx, as('grok'), { id, to: 'gemini' as never });
    if (!made.ok) throw new Error(made.refusal.code);
    expect(made.value).toMatchObject({ to: 'gemini', lineage: { retryOf: id } });
    expect(world.fields(made.value.id)).toMatchObject({ replaces: id, to_agent: 'gemini' });
  });

  it('D15: goes to a webhook of its own beside that of the rejection, also where there is no chief', async () => {
    const heard: { readonly event: string; readonly id: string }[] = [];
    const server = createServer((request, response) => {
      heard.push({
        event: String(request.headers['baton-event'] ?? ''),
        id: String(request.headers['baton-delivery'] ?? ''),
      });
      request.resume();
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const hooks = `notifications: { allow_hosts: [127.0.0.1], webhooks: [{ url: "http://127.0.0.1:${port}/", events: [rejected, escalated] }] }\n`;
    const world = await worldWith(`${ON}${hooks}`);
    await reject(world.ctx, as('claude'), await world.at('offered'), GAP);
    const { carried } = await sendEffects(world.ctx, world.ctx.rules.effectSenders);
    expect(carried).toBe(2);
    expect(heard).toHaveLength(2);
    expect(new Set(heard.map((each) => JSON.stringify(each))).size).toBe(2);
  });
});
