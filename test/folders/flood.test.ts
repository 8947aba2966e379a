import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claimByHand } from '../../src/engine/handoffs/claim.ts';
import { start, startBaton, until } from '../support/processes.ts';
import { WORKER } from './native.ts';
import { queueWorld, REACT, type QueueWorld } from './queue-world.ts';
import { campaignSize } from '../support/campaign-sizes.ts';

/** The whole flood with `BATON_FLOOD_COUNT=10000`. */
const EACH = Math.ceil(campaignSize('BATON_FLOOD_COUNT') / 4);
const COUNT = EACH * 4;
const PATIENCE_MS = 240_000 + COUNT * 30;

/** One file after the other. The most urgent come last, and each says that it is older than the one before. */
const LOOP = `
i=0
for priority in low normal high urgent; do
  for _ in $(seq ${EACH}); do
    i=$((i + 1))
    n=$(printf %05d $i)
    printf '{"handoff_id":"f%s","timestamp":"2026-01-13T10:00:%02dZ","priority":"%s","source":"@me","target":"@react","input":{"data":{}}}' \\
      "$n" $((59 - i % 60)) "$priority" > "handoffs/pending/f$n.json"
  done
done
`;

async function flooded(world: QueueWorld): Promise<void> {
  const { code, stderr } = await start('sh', ['-c', LOOP], { cwd: world.folder }).ended;
  expect([code, stderr]).toEqual([0, '']);
  expect(readdirSync(join(world.folder, 'handoffs/pending'))).toHaveLength(COUNT);
}

/** Urgent before low, and within each in the order in which they were written. */
function rightOrder(): readonly string[] {
  const ids = Array.from({ length: COUNT }, (_, at) => `f${String(at + 1).padStart(5, '0')}`);
  return [3, 2, 1, 0].flatMap((block) => ids.slice(block * EACH, (block + 1) * EACH));
}

async function claimedOrder({ ctx }: QueueWorld): Promise<readonly string[]> {
  const order: string[] = [];
  for (;;) {
    const claimed = await claimByHand(ctx, WORKER, REACT);
    if (claimed === null) return order;
    order.push(claimed.handoff.id);
  }
}

describe(`${COUNT} files from a shell loop`, () => {
  it(
    'Q12, F2, I16: are all taken in by one pass, and claimed by priority, then age',
    { timeout: PATIENCE_MS },
    async () => {
      const world = await queueWorld();
      await flooded(world);
      const beganMs = performance.now();
      await world.sync();
      console.log(`flood: ${COUNT} taken in within ${Math.round(performance.now() - beganMs)} ms`);
      expect(world.quarantined()).toEqual([]);
      expect(await claimedOrder(world)).toEqual(rightOrder());
    },
  );

  it('Q12, F2, I16: are all taken in while they come', { timeout: PATIENCE_MS }, async () => {
    const world = await queueWorld();
    writeFileSync(join(world.folder, 'baton.yaml'), 'folders: { queue: on }\n');
    const idle = startBaton(['work', '@nobody', '--', 'true'], { cwd: world.folder });
    await flooded(world);
    const isIn = async (): Promise<boolean> => {
      const { items } = await world.ctx.store.find({ by: 'filter', states: ['offered'], max: COUNT });
      return items.length === COUNT;
    };
    await until('all are taken in', isIn, PATIENCE_MS);
    idle.signal('SIGTERM');
    await idle.ended;
    expect(world.quarantined()).toEqual([]);
    // A file that was seen between its making and its first byte is taken in a little later; its priority counts.
    const blocks = (ids: readonly string[]): readonly number[] =>
      ids.map((id) => Math.ceil(Number(id.slice(1)) / EACH));
    const order = await claimedOrder(world);
    expect(order.toSorted()).toEqual(rightOrder().toSorted());
    expect(blocks(order)).toEqual(blocks(rightOrder()));
  });
});
