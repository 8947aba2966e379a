import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/foundation/json.ts';
import type { AgentId, HandoffId } from '../../src/domain/names.ts';
import { OPERATOR } from '../../src/domain/principal.ts';
import { DEFAULT_RETRY } from '../../src/domain/retry-policy.ts';
import { NO_RULES } from '../../src/engine/context.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { retry } from '../../src/engine/handoffs/retry.ts';
import { verify } from '../../src/engine/handoffs/verify.ts';
import { checkOnce } from '../../src/engine/stall-detection.ts';
import { sweep } from '../../src/engine/sweep.ts';
import { howToGet, needComponent, type ComponentName } from '../support/components.ts';
import { until } from '../support/processes.ts';
import { naiveWorld } from './naive-world.ts';
import { answer, take, WORKER } from './native.ts';
import { aRequest, queueWorld, ROOT_USER } from './queue-world.ts';

const AT_ONCE = { retry: { ...DEFAULT_RETRY, delayMs: 0 } };
const missing = new Map<ComponentName, boolean>();

beforeAll(async () => {
  for (const name of ['python3', 'jq'] as const) missing.set(name, (await needComponent(name)) === null);
});

function needs(name: ComponentName, skip: (reason: string) => never): void {
  if (missing.get(name) === true) skip(howToGet(name));
}

/** As the specification does it: takes one, and stops before it has answered until a file says so. */
const PICK_UP = (id: string): string => `
handoff.process_handoff_request_of = handoff.process_handoff_request
def wait(data):
    print('working', flush=True)
    while not os.path.exists('go'):
        time.sleep(0.01)
    return {"id": "artifact-late", "path": "artifacts/phase-13-react/artifact-late.json"}
handoff.GENERATE = wait
handoff.process_handoff_request('${id}')
`;

describe('a worker that moves its file first and writes after', () => {
  it.each([0, 0.3, 1])(
    'F3, Q16: Python pauses for %s s in between, and nothing of its answer is lost',
    async (pause) => {
      const world = await naiveWorld();
      const id = await world.send();
      const ended = await world.python(`handoff.PAUSE = ${pause}\nhandoff.process_handoff_request('${id}')`).ended;
      expect(ended.stderr).toBe('');
      await world.reaches(id, 'completed');
      expect(await world.result(id)).toMatchObject({ result: { output: { artifact_id: 'artifact-py' } } });
      expect(world.read('completed', id)).toMatchObject({
        status: 'completed',
        output: { artifact_id: 'artifact-py' },
      });
    },
  );

  it('F3, Q16: mv, then jq, after work of more than five seconds', async ({ skip }) => {
    needs('jq', skip);
    const world = await naiveWorld();
    const id = await world.send();
    // The file was last written long before it is moved: that it moved is what counts.
    await world.sh(`cd handoffs; mv pending/${id}.json in-progress/${id}.json
      touch -d '30 seconds ago' in-progress/${id}.json
      mv in-progress/${id}.json completed/${id}.json
      sleep 0.5
      jq '.status = "completed" | .output = {content: "late but whole"}' completed/${id}.json > .draft
      cat .draft > completed/${id}.json`);
    await world.reaches(id, 'completed');
    expect(await world.result(id)).toMatchObject({ result: { output: { content: 'late but whole' } } });
  });

  it('Q16: times that a program sets on its files change nothing', async ({ skip }) => {
    needs('jq', skip);
    const world = await naiveWorld();
    const id = await world.send();
    await world.sh(
      `cd handoffs; mv pending/${id}.json completed/${id}.json; touch -d '1 day ago' completed/${id}.json`,
    );
    await world.sh(`printf '{"handoff_id": "half"' > handoffs/pending/half.json
      touch -d '1 day ago' handoffs/pending/half.json`);
    await world.sync();
    expect([await world.state(id), world.places('half')]).toEqual(['offered', ['pending']]);
    await world.sh(`cd handoffs
      jq '.status = "failed" | .error = {code: "X", message: "no"}' completed/${id}.json > .draft
      mv .draft failed/${id}.json; touch -d '2099-01-01' failed/${id}.json; rm completed/${id}.json`);
    await world.reaches(id, 'failed');
    expect(await world.result(id)).toMatchObject({ code: 'X', message: 'no' });
  });
});

describe('a worker that dies while it takes or answers', () => {
  it.each(
    (
      [
        ['in-progress', 'half'],
        ['completed', 'whole'],
        ['completed', 'half'],
      ] as const
    ).flatMap(([place, text]) => [
      [place, text, 'the folder is looked after', true] as const,
      [place, text, 'one of ours takes it before anybody has looked', false] as const,
    ]),
  )(
    'F3, F5, Q16: and leaves %s/ with %s a file is given up when its time is over, and %s',
    async (place, text, _how, isKept) => {
      const world = await naiveWorld(undefined, isKept);
      await checkOnce(world.ctx);
      const id = await world.send({}, { ...AT_ONCE, attemptTimeoutMs: 400 });
      world.move(id, 'pending', 'in-progress');
      await world.sync();
      expect(await world.state(id)).toBe('accepted');
      const whole = readFileSync(world.path('in-progress', id), 'utf8');
      if (place === 'completed') world.move(id, 'in-progress', 'completed');
      if (text === 'half') writeFileSync(world.path(place, id), whole.slice(0, whole.length / 2));
      await until('its time is over', async () => {
        await sweep(world.ctx, await checkOnce(world.ctx));
        return (await world.state(id)) === 'offered';
      });
      if (isKept) await until('the file is back', () => world.places(id).join() === 'pending');
      const { fence } = await take(world);
      expect(world.places(id)).toEqual(['in-progress']);
      expect((await deliver(world.ctx, WORKER, { target: id, fence, result: 'ours' })).ok).toBe(true);
      await world.sync();
      expect(world.read('completed', id)).toMatchObject({ status: 'completed' });
      expect(await world.result(id)).toEqual({ kind: 'result', result: 'ours' });
      expect(world.quarantined().length > 0).toBe(place === 'completed' && text === 'half');
    },
  );
});

describe('a worker that comes too late', () => {
  it.each(['before', 'after'] as const)(
    'F6, Q16: moves the file that ours holds %s ours answers: ours counts, and its answer is kept',
    async (when) => {
      const world = await naiveWorld();
      await checkOnce(world.ctx);
      const id = await world.send({}, { ...AT_ONCE, attemptTimeoutMs: 400 });
      const python = world.python(PICK_UP(id));
      await world.reaches(id, 'accepted');
      await until('Python works', () => python.stdout().includes('working'));
      await until('its time is over', async () => {
        await sweep(world.ctx, await checkOnce(world.ctx));
        return (await world.state(id)) === 'offered';
      });
      await until('the file is back', () => world.places(id)[0] === 'pending');
      const { fence } = await take(world);
      const deliverOurs = async (): Promise<void> => {
        expect((await deliver(world.ctx, WORKER, { target: id, fence, result: 'ours' })).ok).toBe(true);
      };
      if (when === 'after') {
        // It has read and moved the file, and writes when ours is done.
        renameSync(world.path('in-progress', id), world.path('completed', id));
        const late = { ...world.read('completed', id), status: 'completed', output: { artifact_id: 'artifact-late' } };
        await deliverOurs();
        writeFileSync(world.path('completed', id), JSON.stringify(late));
      } else {
        writeFileSync(join(world.folder, 'go'), '');
        await python.ended;
        await until('the loser is put aside', () => world.loser(id));
        await deliverOurs();
      }
      const loser = await until('the loser is put aside', () => world.loser(id));
      expect(loser.reason).toContain('late_or_unfenced_completion');
      expect(loser.fields).toMatchObject({ output: { artifact_id: 'artifact-late' } });
      await until('the file of ours is back', () => world.places(id)[0] === 'completed');
      expect(await world.result(id)).toEqual({ kind: 'result', result: 'ours' });
      const { output } = world.read('completed', id) as { output: { artifact_path: string } };
      const artifact = JSON.parse(readFileSync(join(world.folder, output.artifact_path), 'utf8')) as JsonObject;
      expect(artifact['content']).toBe('ours');
      writeFileSync(join(world.folder, 'go'), '');
      await python.ended;
    },
  );

  it('Q16: what lies in completed/ and was not answered by ours is moved back to ours', async () => {
    const world = await queueWorld();
    const id = await world.send();
    const { fence } = await take(world);
    world.move(id, 'in-progress', 'completed');
    await world.sync();
    expect(world.places(id)).toEqual(['in-progress']);
    expect((await deliver(world.ctx, WORKER, { target: id, fence, result: 1 })).ok).toBe(true);
    expect(world.read('completed', id)).toMatchObject({ status: 'completed' });
  });

  it('Q5, I7: our own answer that somebody has overwritten says again what the database says', async () => {
    const world = await queueWorld();
    const id = await world.send();
    await answer(world, id, 'ours');
    const before = readFileSync(world.path('completed', id), 'utf8');
    world.write('completed', id, aRequest(id, { status: 'completed', output: { content: 'forged' } }), 0);
    await world.queue.reconcile(id);
    expect(readFileSync(world.path('completed', id), 'utf8')).toBe(before);
    expect(world.quarantined()).toHaveLength(2);
  });
});

describe('the way out of quarantine', () => {
  it('Q16: a file that was put right and moved to pending/ is taken in', async () => {
    const world = await queueWorld();
    world.write('pending', 'wrong', aRequest('wrong', { target: undefined }));
    await world.sync();
    expect(world.places('wrong')).toEqual(['failed']);
    const aside = join(world.folder, 'handoffs/quarantine/wrong.json');
    writeFileSync(aside, JSON.stringify(aRequest('wrong')));
    renameSync(aside, world.path('pending', 'wrong'));
    await world.sync();
    expect([await world.state('wrong'), world.places('wrong')]).toEqual(['offered', ['pending']]);
    await answer(world, 'wrong', 'at last');
    expect(world.places('wrong')).toEqual(['completed']);
  });
});

describe('artifacts, retries and cancelling by files alone', () => {
  it('Q9, Q14: the artifact that a foreign worker names is claimed, and whoever waits for it goes on', async ({
    skip,
  }) => {
    needs('python3', skip);
    const world = await naiveWorld();
    world.write('pending', 'next', aRequest('next', { context: { stack_artifact_id: 'artifact-py' } }));
    await world.reaches('next', 'blocked');
    expect(world.read('waiting', 'next')).toMatchObject({ status: 'pending' });
    const id = await world.send();
    mkdirSync(join(world.folder, 'artifacts/phase-13-react'), { recursive: true });
    writeFileSync(join(world.folder, 'artifacts/phase-13-react/artifact-py.json'), '{"made": "in Python"}');
    await world.python(`handoff.process_handoff_request('${id}')`).ended;
    await world.reaches(id, 'completed');
    await sweep(world.ctx, await checkOnce(world.ctx));
    expect(await world.state('next')).toBe('offered');
    const card = await world.ctx.rules.artifacts?.cards.load('artifact-py' as never);
    expect(JSON.parse(card ?? '')).toMatchObject({ status: 'active', flaw: 'claimed, not checked', handoff_id: id });
  });

  it('Q14: an artifact is registered by putting its file where it belongs', async () => {
    const world = await queueWorld();
    world.write('pending', 'next', aRequest('next', { context: { stack_artifact_id: 'by-file' } }));
    await world.sync();
    expect(world.read('waiting', 'next')).toHaveProperty(
      'waiting_for',
      'artifacts have to be registered first: by-file',
    );
    const made = await world.send();
    await answer(world, made, { stack: 'React' });
    const [name = ''] = readdirSync(join(world.folder, 'artifacts/phase-00-react'));
    const artifact = readFileSync(join(world.folder, 'artifacts/phase-00-react', name), 'utf8');
    mkdirSync(join(world.folder, 'artifacts/phase-07-tech-stack'), { recursive: true });
    const file = join(world.folder, 'artifacts/phase-07-tech-stack/by-file.json');
    writeFileSync(file, artifact.replace(`"artifact_id": "artifact-${made}"`, '"artifact_id": "by-file"'));
    await sweep(world.ctx, await checkOnce(world.ctx));
    expect(await world.state('next')).toBe('offered');
  });

  it('Q11: retry_of in pending/ is another try of what failed', async () => {
    const world = await queueWorld();
    world.write('failed', 'first', aRequest('first', { status: 'failed', error: { code: 'X', message: 'no' } }));
    world.write('pending', 'first', aRequest('first'));
    rmSync(world.path('failed', 'first'));
    await world.sync();
    world.move('first', 'pending', 'failed');
    world.write('failed', 'first', aRequest('first', { status: 'failed', error: { code: 'X', message: 'no' } }));
    await world.sync();
    world.write('pending', 'second', aRequest('second', { retry_of: 'first' }));
    await world.sync();
    world.write('pending', 'third', aRequest('third', { retry_of: 'second' }));
    await world.sync();
    expect((await world.whole('second')).handoff.lineage).toMatchObject({ retryOf: 'first' });
    expect(world.read('failed', 'third')).toMatchObject({
      error: { code: 'INVALID_REQUEST', message: expect.stringContaining('retry_of: second is offered') as string },
    });
  });

  it('Q16: its sender cancels it by moving it to failed/ as cancelled', async ({ skip }) => {
    needs('jq', skip);
    const world = await naiveWorld();
    const id = await world.send();
    await world.sh(`cd handoffs; jq '.status = "cancelled"' pending/${id}.json > .draft
      mv .draft pending/${id}.json; mv pending/${id}.json failed/${id}.json`);
    await world.reaches(id, 'cancelled');
    await until('its file says so', () => {
      const file = existsSync(world.path('failed', id)) ? world.read('failed', id) : {};
      return (file['error'] as JsonObject | undefined)?.['code'] === 'CANCELLED';
    });
    expect(world.places(id)).toEqual(['failed']);
  });

  it('Q5: work that still needs verification lies in in-progress/, whoever moved it', async () => {
    const world = await queueWorld();
    const id = await world.send({}, { verifiers: ['judge' as AgentId] });
    world.move(id, 'pending', 'in-progress');
    await world.sync();
    world.move(id, 'in-progress', 'completed');
    const output = { artifact_id: 'a-1', content: 'theirs' };
    world.write('completed', id, aRequest(id, { status: 'completed', output }));
    await world.sync();
    expect([await world.state(id), world.places(id)]).toEqual(['delivered', ['in-progress']]);
    expect((await verify(world.ctx, OPERATOR, { id, criteria: [] })).ok).toBe(true);
    expect(world.places(id)).toEqual(['completed']);
    expect(world.read('completed', id)).toMatchObject({ status: 'completed', output });
  });
});

describe('the same id twice', () => {
  it('F7, Q3: a request that is overwritten between adoption and claim is not lost', async () => {
    const world = await queueWorld();
    world.write('pending', 'twice', aRequest('twice'));
    await world.sync();
    world.write('pending', 'twice', aRequest('twice', { input: { data: 'second' } }));
    expect((await take(world)).id).toBe('twice');
    expect(world.read('in-progress', 'twice')).toMatchObject({ input: { data: { of: 'twice' } } });
    const { items } = await world.ctx.store.find({ by: 'filter', states: ['failed'], max: 10 });
    const again = await retry(world.ctx, OPERATOR, { id: items[0]?.id as HandoffId });
    expect(again.ok && (await world.whole(again.value.id)).body).toContain('second');
  });

  it('F7: while the first is at work, the second is not left where foreign workers look', async () => {
    const world = await queueWorld();
    const id = await world.send();
    await take(world);
    world.write('pending', id, aRequest(id, { input: { data: 'second' } }));
    await world.sync();
    expect(world.places(id)).toEqual(['in-progress']);
    expect(world.quarantined()).toHaveLength(2);
  });

  it('Q3: reordered keys and other spaces are the same request', async () => {
    const world = await queueWorld();
    world.write('pending', 'same', aRequest('same'));
    await world.sync();
    const reordered = Object.fromEntries(Object.entries(aRequest('same')).toReversed());
    world.write('pending', 'same', JSON.stringify(reordered));
    await world.sync();
    expect([world.places('same'), world.quarantined()]).toEqual([['pending'], []]);
  });
});

describe('what is finished', () => {
  it('I11: a person who moves or deletes a finished file is not undone', async () => {
    const world = await naiveWorld();
    const [gone, moved, deleted] = [await world.send(), await world.send(), await world.send()];
    for (const id of [gone, moved, deleted]) await answer(world, id, 1);
    await world.sync();
    rmSync(world.path('completed', gone));
    await world.sh(`mkdir mine; mv handoffs/completed/${moved}.json mine/; rm handoffs/completed/${deleted}.json`);
    await world.sync();
    expect([gone, moved, deleted].map((id) => world.places(id))).toEqual([[], [], []]);
  });

  it('Q1: is archived by age or number, and stays there when everything is looked at again', async () => {
    const first = await queueWorld(undefined, undefined, undefined, { keep: { ageMs: null, files: 1 } });
    const ids = [await first.send(), await first.send(), await first.send()];
    for (const id of ids) await answer(first, id, 1);
    await first.sync();
    expect(readdirSync(join(first.folder, 'handoffs/completed'))).toHaveLength(1);
    const [month = ''] = readdirSync(join(first.folder, 'handoffs/archive'));
    expect(readdirSync(join(first.folder, 'handoffs/archive', month))).toHaveLength(2);
    rmSync(join(first.folder, '.baton/queue.bookmark'), { force: true });
    const again = await queueWorld(undefined, first.folder);
    await again.sync();
    expect(readdirSync(join(first.folder, 'handoffs/completed'))).toHaveLength(1);
  });
});

describe('files that cannot be read', () => {
  it('F8, Q16: whoever waits for one gets an answer in failed/', async ({ skip }) => {
    needs('python3', skip);
    const world = await naiveWorld();
    const ended = await world.python(`
request = json.dumps(${JSON.stringify(aRequest('ID'))})
for name, encoding, more in (('utf16', 'utf-16', ''), ('large', 'utf-8', ' ' * 2000000)):
    with open('handoffs/pending/' + name + '.json', 'w', encoding=encoding) as file:
        # Spaces first: a beginning of the file is never a whole request.
        file.write(more + request.replace('ID', name))
for name in ('utf16', 'large'):
    try:
        handoff.time.sleep = lambda seconds: time.sleep
        while not os.path.exists('handoffs/failed/' + name + '.json'):
            os.sched_yield()
        handoff.wait_for_handoff_completion(name, 20)
    except handoff.HandoffFailedException as failed:
        print(name, failed)
`).ended;
    expect(ended.stderr).toBe('');
    expect(ended.stdout).toContain('utf16 it is not UTF-8 text');
    // Baton may look while the program still writes: the file is too large by then.
    expect(ended.stdout).toMatch(/large it has \d+ bytes, at most 1048576 are read/);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'F8: those of other users are answered, unless the workspace trusts them',
    async () => {
      const strict = await queueWorld();
      strict.write('pending', 'theirs', aRequest('theirs'));
      chownSync(strict.path('pending', 'theirs'), 4711, 4711);
      await strict.sync();
      expect(strict.read('failed', 'theirs')).toMatchObject({ error: { code: 'UNFIT_FILE' } });
      for (const trusted of [
        { users: [4711], groups: [] },
        { users: [], groups: [4711] },
      ]) {
        const world = await queueWorld(undefined, undefined, undefined, { trusted });
        world.write('pending', 'theirs', aRequest('theirs'));
        chownSync(world.path('pending', 'theirs'), 4711, 4711);
        await world.sync();
        expect(await world.state('theirs')).toBe('offered');
      }
    },
  );

  it('F8: a request of nearly a mebibyte is taken', async () => {
    const world = await queueWorld();
    world.write('pending', 'big', JSON.stringify(aRequest('big', { input: { data: '"'.repeat(500_000) } })));
    await world.sync();
    expect(await world.state('big')).toBe('offered');
  });
});

describe('requests that are not as they should be', () => {
  it.each([
    ['input without data', { input: { component_requirements: [] } }, 'input'],
    ['a destination elsewhere', { expected_output: { destination: '../x.json' } }, 'expected_output.destination'],
  ])('Q2, Q6: %s is refused, and says so to source and target', async (_what, parts, field) => {
    const world = await queueWorld();
    world.write('pending', 'x', aRequest('x', parts));
    await world.sync();
    expect(world.read('failed', 'x')).toMatchObject({
      source: { agent_id: '@me' },
      target: { agent_id: '@react' },
      error: { code: 'INVALID_REQUEST' },
      validation: { status: 'failed', errors: [{ field, schema_path: `$.${field}` }] },
    });
  });

  it('Q7: a schema that is not there is a warning, and refused where the workspace says so', async () => {
    const schemas = {
      read: async () => null,
      check: async (schema: string) => ({
        ok: false as const,
        refusal: { code: 'schema-unknown' as const, schema, known: [] },
      }),
    };
    for (const missingSchema of ['warn', 'refuse'] as const) {
      const world = await queueWorld(undefined, undefined, { ...NO_RULES, schemas, missingSchema });
      world.write('pending', 'x', aRequest('x', { input: { schema: 'nowhere.json', data: 1 } }));
      await world.sync();
      const warned = world.events.some((event) => event.kind === 'file-warning' && event.id === 'x');
      expect([missingSchema, warned, world.places('x')]).toEqual(
        missingSchema === 'warn' ? ['warn', true, ['pending']] : ['refuse', false, ['failed']],
      );
    }
  });

  it('Q8: foreign output that fails its schema is a warning, and the result stands', async () => {
    const violation = { path: 'output.files', schemaPath: '#/required', expected: 'a property', says: 'is missing' };
    const schemas = {
      read: async () => null,
      check: async (schema: string, _value: unknown, called?: string) =>
        called === 'output'
          ? {
              ok: false as const,
              refusal: { code: 'schema-violated' as const, schema, violations: [violation], more: 0 },
            }
          : { ok: true as const, value: true as const },
    };
    const world = await queueWorld(undefined, undefined, { ...NO_RULES, schemas });
    world.write('pending', 'x', aRequest('x', { expected_output: { schema: 'out.json' } }));
    await world.sync();
    world.move('x', 'pending', 'completed');
    world.write('completed', 'x', aRequest('x', { status: 'completed', output: { content: {} } }));
    await world.sync();
    expect(await world.state('x')).toBe('completed');
    const says = expect.stringContaining('does not follow out.json: output.files: is missing') as string;
    expect(world.events).toContainEqual(expect.objectContaining({ kind: 'file-warning', id: 'x', says }));
  });
});

describe('a folder that is kept', () => {
  it('Q1: goes on when pending/ was deleted and made anew', async () => {
    const world = await naiveWorld();
    await world.sh('rm -r handoffs/pending; mkdir -p handoffs/pending');
    world.write('pending', 'after', aRequest('after'), 0);
    await world.reaches('after', 'offered');
    // Whoever deletes a folder in which others are at work may have to say it twice.
    rmSync(join(world.folder, 'handoffs/pending'), { recursive: true, force: true, maxRetries: 20 });
    await until('it is there again', () => existsSync(join(world.folder, 'handoffs/pending')));
    world.write('pending', 'later', aRequest('later'), 0);
    await world.reaches('later', 'offered');
    expect(world.quarantined()).toEqual([]);
  });

  it('F5: touching the file in in-progress/ gives a foreign worker its whole time again', async () => {
    const world = await queueWorld();
    const id = await world.send({}, { attemptTimeoutMs: 4_000 });
    world.move(id, 'pending', 'in-progress');
    await world.sync();
    const { handoff: before } = await world.whole(id);
    const text = readFileSync(world.path('in-progress', id), 'utf8');
    await until('its time is counted anew', async () => {
      writeFileSync(world.path('in-progress', id), text);
      await world.sync();
      return (await world.whole(id)).handoff.revision > before.revision;
    });
    const { handoff } = await world.whole(id);
    expect(handoff).toMatchObject({ state: 'accepted', fence: before.fence, custody: { by: 'hand', file: ROOT_USER } });
    const untilAt = handoff.custody?.by === 'hand' ? (handoff.custody.untilAt ?? 0) : 0;
    expect(untilAt).toBeGreaterThanOrEqual(before.since + 4_000 + 400);
  });
});
