import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXAMPLES, example } from '../formats/queue-message/messages.ts';
import { quickBaton, tempFolder } from '../support/processes.ts';

const ID = 'hoff-001-1705147200000';

/** The request refers to an artifact, so that has to be there before anybody can work. */
async function workspace(folders: 'on' | 'off' = 'on', more = ''): Promise<string> {
  const folder = tempFolder();
  await quickBaton(['init', '--template', 'queue'], { cwd: folder });
  writeFileSync(join(folder, 'baton.yaml'), `folders: { queue: ${folders} }\n${more}`);
  if (folders === 'on') await registerStack(folder);
  else rmSync(join(folder, 'handoffs'), { recursive: true });
  return folder;
}

async function registerStack(folder: string): Promise<void> {
  const path = 'artifacts/phase-07-tech-stack/artifact-tech-stack-001.json';
  mkdirSync(join(folder, 'artifacts/phase-07-tech-stack'), { recursive: true });
  const stack = {
    artifact_id: 'artifact-tech-stack-001',
    artifact_type: 'tech-stack',
    content: { framework: 'React' },
  };
  writeFileSync(join(folder, path), JSON.stringify({ ...stack, validation: { status: 'passed' } }));
  const registered = await quickBaton(['artifact', 'register', path], { cwd: folder });
  expect([registered.stderr, registered.stdout]).toEqual(['', 'artifact-tech-stack-001\n']);
}

function request(folder: string, parts: object = {}): void {
  writeFileSync(join(folder, 'request.json'), JSON.stringify({ ...example('request'), ...parts }));
}

async function answered(folder: string, says: string): Promise<{ readonly [key: string]: unknown }> {
  const sent = await quickBaton(['send', '--request', 'request.json'], { cwd: folder });
  expect([sent.stderr, sent.stdout]).toEqual(['', `${ID}\n`]);
  await quickBaton(['work', '@react-specialist', '--once', '--', 'echo', says], { cwd: folder });
  const place = readdirSync(join(folder, 'handoffs/completed')).length > 0 ? 'completed' : 'failed';
  return JSON.parse(readFileSync(join(folder, `handoffs/${place}/${ID}.json`), 'utf8')) as Record<string, unknown>;
}

describe('the request of the specification', () => {
  it('Q2, Q5, Q8: is sent, done and answered as its own response shows', async () => {
    const folder = await workspace();
    request(folder);
    const file = await answered(folder, '{"artifact":{"content":{"components":[{"name":"UserProfile"}]}}}');
    expect(Object.keys(example('response')).filter((name) => !(name in file))).toEqual([]);
    expect(file).toMatchObject({
      ...example('request'),
      status: 'completed',
      output: { artifact_type: 'react-components', schema_compliance: 'valid' },
      validation: { status: 'passed' },
    });
    const { artifact_path: path } = file['output'] as { artifact_path: string };
    expect(path).toMatch(/^artifacts\/phase-13-react\/artifact-react-comp-\d+\.json$/);
    expect(JSON.parse(readFileSync(join(folder, path), 'utf8'))).toMatchObject({
      artifact_type: 'react-components',
      content: { components: [{ name: 'UserProfile' }] },
    });
  });

  it('Q6, Q8: an answer that does not follow its schema has failed, with every violation', async () => {
    const folder = await workspace();
    request(folder, { retry_policy: { max_retries: 0 } });
    const file = await answered(folder, '{"components":[{"code":1}]}');
    expect(file).toMatchObject({
      error: { code: 'VALIDATION_FAILED' },
      validation: {
        status: 'failed',
        errors: [{ field: 'components[0]' }, { field: 'components[0].code' }],
      },
      max_retries: 0,
    });
  });

  it('Q2, Q11: what it leaves out is said by baton.yaml: phases, types of agents, retries', async () => {
    const agents =
      'agents: { react-specialist: { phase: 13, agent_type: specialist }, frontend-specialist: { phase: 11 } }';
    const folder = await workspace('on', `${agents}\nretry: { max_retries: 1, delay_seconds: 7, multiplier: 3 }\n`);
    const source = { agent_id: '@frontend-specialist', phase: 4, team: 'web' };
    const output = { artifact_type: 'react-components', schema: 'react-specialist.output' };
    const parts = { source, target: '@React-Specialist', expected_output: output, retry_policy: { max_retries: 2 } };
    request(folder, parts);
    const file = await answered(folder, '{"components":[]}');
    expect(file).toMatchObject({
      source,
      target: { agent_id: '@React-Specialist', phase: 13, agent_type: 'specialist' },
      output: { artifact_path: `artifacts/phase-13-react/artifact-${ID}.json` },
    });
    const shown = await quickBaton(['export'], { cwd: folder });
    expect(shown.stdout).toContain('"retriesMax":2,"delayMs":7000,"multiplier":3');
  });

  it('Q2: what did not come as a file says them too', async () => {
    const folder = await workspace('on', 'agents: { react: { phase: 13, agent_type: specialist } }\n');
    const { stdout } = await quickBaton(['send', '--from', '@me', '--to', '@react'], { cwd: folder });
    const file = readFileSync(join(folder, `handoffs/pending/${stdout.trim()}.json`), 'utf8');
    expect(JSON.parse(file)).toMatchObject({
      source: { agent_id: '@me' },
      target: { agent_id: '@react', phase: 13, agent_type: 'specialist' },
    });
  });

  it('needs no folder, and leaves none where it is off', async () => {
    const folder = await workspace('off');
    writeFileSync(join(folder, 'request.json'), EXAMPLES.request);
    const sent = await quickBaton(['send', '--request', 'request.json'], { cwd: folder });
    expect(sent.stdout).toBe(`${ID}\n`);
    expect(readdirSync(folder)).not.toContain('handoffs');
  });

  it('Q7: is refused with every violation of its input schema, before it is anything', async () => {
    const folder = await workspace();
    request(folder, { input: { schema: 'react-specialist.input', data: { component_requirements: [{}] } } });
    const refused = await quickBaton(['send', '--request', 'request.json'], { cwd: folder });
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain('component_requirements[0].name');
  });
});
