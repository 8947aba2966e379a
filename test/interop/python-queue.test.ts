import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { howToGet, needComponent } from '../support/components.ts';
import { until, untilSays } from '../support/processes.ts';
import { pythonWorkspace, type PythonWorkspace } from './python-programs.ts';

let interpreter: string | null = null;

beforeAll(async () => {
  interpreter = await needComponent('python3');
});

async function workspace(skip: (reason: string) => never, configuration = ''): Promise<PythonWorkspace> {
  return interpreter === null ? skip(howToGet('python3')) : pythonWorkspace(interpreter, configuration);
}

const GOOD = `{'component_requirements': [{'name': 'TestComponent', 'type': 'functional', 'props': {}}]}`;
const SEND = `id = handoff.create_handoff_request('@frontend-specialist', '@react-specialist', `;
const DO_IT = ['work', '@react-specialist', '--once', '--', 'sh', '-c'];

/** Takes the first that appears, as the specification does it. */
const PROCESS_ONE = `
while True:
    names = os.listdir('handoffs/pending') if os.path.isdir('handoffs/pending') else []
    if names:
        break
    really(0.01)
handoff.process_handoff_request(names[0][:-5])
`;

describe('the programs of the specification', () => {
  it('Q13: Python sends and waits, and one of ours answers', async ({ skip }) => {
    const work = await workspace(skip);
    const waiting = work.python(`${SEND}${GOOD})\nanswer = handoff.wait_for_handoff_completion(id, 40)
print(json.dumps(answer))`);
    const worker = work.start([...DO_IT, `cat > got.json; echo '{"components":[{"name":"TestComponent"}]}'`]);
    const [ended, done] = await Promise.all([waiting.ended, worker.ended]);
    expect([ended.code, done.code, ended.stderr]).toEqual([0, 0, '']);
    const answer = JSON.parse(ended.stdout.split('\n').at(-2) ?? '') as { output: { artifact_path: string } };
    expect(answer).toMatchObject({
      status: 'completed',
      source: { agent_id: '@frontend-specialist', phase: 11 },
      context: { tech_stack: { framework: 'React' } },
    });
    const artifact = readFileSync(join(work.folder, answer.output.artifact_path), 'utf8');
    expect(JSON.parse(artifact)).toMatchObject({ content: { components: [{ name: 'TestComponent' }] } });
    expect(answer.output.artifact_path).toMatch(/^artifacts\/phase-13-react\//);
    expect(JSON.parse(readFileSync(join(work.folder, 'got.json'), 'utf8'))).toMatchObject({
      input: { component_requirements: [{ name: 'TestComponent' }] },
    });
  });

  it('Q4, Q13: one of ours sends and waits, and Python does it', async ({ skip }) => {
    const work = await workspace(skip);
    const python = work.python(PROCESS_ONE);
    const sent = await work.baton([
      'send',
      '--from',
      '@me',
      '--to',
      '@react',
      '--input',
      '{"a":1}',
      '--wait',
      '--json',
    ]);
    expect([sent.code, (await python.ended).stderr]).toEqual([0, '']);
    const whole = JSON.parse(sent.stdout) as { id: string };
    expect(whole).toMatchObject({
      state: 'completed',
      result: { output: { artifact_id: 'artifact-py' }, validation: { status: 'passed' } },
    });
    const file = JSON.parse(readFileSync(join(work.folder, `handoffs/completed/${whole.id}.json`), 'utf8')) as object;
    expect(file).toMatchObject({ status: 'completed', execution_time_seconds: 332 });
  });

  it('Q6, Q11: Python fails, and whoever waits hears it at once, with the code', async ({ skip }) => {
    const work = await workspace(skip);
    const id = (await work.baton(['send', '--from', '@me', '--to', '@react'])).stdout.trim();
    const python = await work.python(`
def fail(data):
    raise Exception('no such component')
handoff.GENERATE = fail
${PROCESS_ONE}`).ended;
    expect(python.stderr).toBe('');
    const waited = await work.baton(['wait', id, '--timeout', '30']);
    expect(waited.code).toBe(8);
    expect(waited.stderr).toContain('PROCESSING_ERROR: no such component');
  });

  it('Q6, Q13: Python hears of a failure of ours as an exception with its message', async ({ skip }) => {
    const work = await workspace(skip, 'retry: { max_retries: 0 }\n');
    const waiting = work.python(`${SEND}${GOOD})
try:
    handoff.wait_for_handoff_completion(id, 40)
except handoff.HandoffFailedException as failed:
    print('heard: ' + str(failed))`);
    const worker = work.start([...DO_IT, 'echo out of clay >&2; exit 3']);
    const [ended] = await Promise.all([waiting.ended, worker.ended]);
    expect(ended.stdout).toContain('heard: sh ended with exit code 3: out of clay');
  });

  it('Q7: Python hears before any work starts that its input does not follow the schema it names', async ({ skip }) => {
    const work = await workspace(skip);
    const bad = `{'component_requirements': [{'name': 'X', 'props': {'userId': {'required': True}}}]}`;
    const waiting = work.python(`${SEND}${bad})
try:
    handoff.wait_for_handoff_completion(id, 40)
except handoff.HandoffFailedException as failed:
    print('heard: ' + str(failed))`);
    const worker = work.start([...DO_IT, 'touch started']);
    const ended = await waiting.ended;
    worker.signal('SIGTERM');
    await worker.ended;
    expect(ended.stdout).toContain('input.component_requirements[0].props.userId.type');
    expect(readdirSync(work.folder)).not.toContain('started');
    const [name = ''] = readdirSync(join(work.folder, 'handoffs/failed'));
    expect(JSON.parse(readFileSync(join(work.folder, 'handoffs/failed', name), 'utf8'))).toMatchObject({
      error: { code: 'SCHEMA_VALIDATION_FAILED' },
      validation: {
        status: 'failed',
        errors: [
          {
            field: 'component_requirements[0].props.userId',
            error: "Missing required field 'type'",
            schema_path: '$.component_requirements[*].props.userId',
          },
        ],
      },
    });
  });

  it('Q7: a schema that is not there is a missing dependency, at once, where the workspace refuses it', async ({
    skip,
  }) => {
    const work = await workspace(skip, 'folders: { queue: on, queue_missing_schema: refuse }\n');
    const python = await work.python(`id = handoff.create_handoff_request('@a', '@nobody', {})\nprint(id)`).ended;
    await work.baton(['sync']);
    const id = python.stdout.trim().split('\n').at(-1) ?? '';
    const waited = await work.baton(['wait', id, '--timeout', '0']);
    expect(waited.code).toBe(8);
    expect(waited.stderr).toContain('DEPENDENCY_MISSING');
  });

  it('Q10, Q16, F5: Python dies after the move, and the handoff comes back', async ({ skip }) => {
    const work = await workspace(skip, 'retry: { delay_seconds: 0 }\n');
    const sent = await work.baton(['send', '--from', '@me', '--to', '@react-specialist', '--timeout', '1']);
    const id = sent.stdout.trim();
    const dying = await work.python(`
def die(data):
    os.kill(os.getpid(), 9)
handoff.GENERATE = die
${PROCESS_ONE}`).ended;
    expect(dying.signal).toBe('SIGKILL');
    expect(readdirSync(join(work.folder, 'handoffs/in-progress'))).toEqual([`${id}.json`]);
    const worker = work.start([...DO_IT, 'echo 1']);
    expect((await worker.ended).code).toBe(0);
    const shown = await work.baton(['show', id, '--json']);
    expect(shown.stdout).toContain('TIMEOUT');
    expect(JSON.parse(shown.stdout)).toMatchObject({ state: 'completed' });
  });

  it('Q2, Q3: a whole request is sent from a file, and the same id is not taken twice', async ({ skip }) => {
    const work = await workspace(skip);
    await work.python(`${SEND}${GOOD})\nos.rename('handoffs/pending/' + id + '.json', 'request.json')`).ended;
    const sent = await work.baton(['send', '--request', 'request.json']);
    expect([sent.code, sent.stderr]).toEqual([0, '']);
    const id = sent.stdout.trim();
    const pending = JSON.parse(readFileSync(join(work.folder, `handoffs/pending/${id}.json`), 'utf8')) as object;
    expect(pending).toEqual(JSON.parse(readFileSync(join(work.folder, 'request.json'), 'utf8')));
    expect((await work.baton(['send', '--request', 'request.json'])).code).not.toBe(0);
    writeFileSync(join(work.folder, 'bad.json'), '{"handoff_id": "../x"}');
    const bad = await work.baton(['send', '--request', 'bad.json']);
    expect(bad.code).toBe(5);
    expect(bad.stderr).toContain('bad.json: target:');
    expect((await work.baton(['send', '--request', 'bad.json', '--to', '@x'])).code).toBe(2);
  });

  it('Q1: a worker of ours that is running takes in what Python writes, without being asked', async ({ skip }) => {
    const work = await workspace(skip);
    const worker = work.start(['work', '@react-specialist', '--', 'sh', '-c', 'echo {\\"files\\":[\\"a\\"]}']);
    await untilSays(worker, 'working as @');
    const ended = await work.python(`${SEND}${GOOD})\nprint(handoff.wait_for_handoff_completion(id, 40)['status'])`)
      .ended;
    expect(ended.stdout).toContain('completed');
    await until('nothing is left open', () => readdirSync(join(work.folder, 'handoffs/in-progress')).length === 0);
  });
});
