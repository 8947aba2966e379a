import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseExact, printExact } from '../../src/foundation/exact-json.ts';
import type { Json } from '../../src/foundation/json.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { retry } from '../../src/engine/handoffs/retry.ts';
import { fail } from '../../src/engine/handoffs/fail.ts';
import { writeLine } from '../../src/engine/transfer/write-line.ts';
import { readLine } from '../../src/engine/transfer/read-line.ts';
import { factsOf } from '../../src/engine/handoffs/read.ts';
import { wholeView } from '../../src/interfaces/shared/views.ts';
import { answer, take, WORKER } from './native.ts';
import { aRequest, ME, queueWorld, type QueueWorld } from './queue-world.ts';

/** One more than a double can hold, and the largest number of 64 bits. */
const SNOWFLAKE = '9007199254740993';
const LARGEST = '18446744073709551615';

/** As a foreign program writes it: no JavaScript value has these digits. */
function withNumbers(value: object): string {
  return JSON.stringify(value).replaceAll('"SNOWFLAKE"', SNOWFLAKE).replaceAll('"LARGEST"', LARGEST);
}

async function sentByFile(id: string): Promise<QueueWorld> {
  const world = await queueWorld();
  world.write(
    'pending',
    id,
    withNumbers(aRequest(id, { input: { data: { id: 'SNOWFLAKE' } }, context: { n: 'LARGEST' } })),
  );
  await world.sync();
  return world;
}

describe('whole numbers of 64 bits in files', () => {
  it('a foreign request and a native answer keep them, in every file and every view', async () => {
    const world = await sentByFile('long');
    await answer(world, 'long', { doubled: parseExact(LARGEST) } as Json);
    const file = readFileSync(world.path('completed', 'long'), 'utf8');
    expect(file).toContain(`"id": ${SNOWFLAKE}`);
    expect(file).toContain(`"n": ${LARGEST}`);
    const { output } = world.read('completed', 'long') as { output: { artifact_path: string } };
    expect(readFileSync(join(world.folder, output.artifact_path), 'utf8')).toContain(`"doubled": ${LARGEST}`);
    const shown = printExact(wholeView(await world.whole('long')));
    expect(shown).toContain(`"input":{"id":${SNOWFLAKE}}`);
    expect(shown).toContain(`"result":{"doubled":${LARGEST}}`);
    await world.sync();
    expect(world.quarantined()).toEqual([]);
  });

  it('a foreign answer keeps them, and the same answer with another last digit is another one', async () => {
    const world = await sentByFile('long');
    world.move('long', 'pending', 'in-progress');
    await world.sync();
    const done = { ...aRequest('long'), status: 'completed', output: { id: 'SNOWFLAKE' } };
    world.move('long', 'in-progress', 'completed');
    world.write('completed', 'long', withNumbers(done));
    await world.sync();
    expect((await world.whole('long')).outcome).toContain(`"output":{"id":${SNOWFLAKE}}`);
    world.write('completed', 'long', withNumbers(done).replaceAll(SNOWFLAKE, '9007199254740995'));
    await world.sync();
    expect(readFileSync(world.path('completed', 'long'), 'utf8')).toContain(SNOWFLAKE);
    expect(world.quarantined()).toContain('long.json');
  });

  it('a retry and an export carry them on', async () => {
    const world = await sentByFile('long');
    const { id, fence } = await take(world);
    const failure = { code: 'PROCESSING_ERROR', message: 'no' };
    await fail(world.ctx, WORKER, { target: id, fence, failure, forGood: true });
    const whole = await world.whole('long');
    const line = writeLine({ ...whole, facts: await factsOf(world.ctx, id) });
    expect(line.text).toContain(`"input":{"id":${SNOWFLAKE}}`);
    const read = readLine(line.text);
    expect(read.ok && read.value.kind === 'handoff' && read.value.copy.body).toBe(whole.body);
    const again = await retry(world.ctx, agentPrincipal(ME), { id });
    if (!again.ok) throw new Error(again.refusal.code);
    expect(readFileSync(world.path('pending', again.value.id), 'utf8')).toContain(`"id": ${SNOWFLAKE}`);
  });
});
