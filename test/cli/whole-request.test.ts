import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXAMPLES, example } from '../dialects/queue-message/messages.ts';
import { baton, tempFolder } from '../support/processes.ts';

const ID = 'hoff-001-1705147200000';

async function workspace(folders: 'on' | 'off' = 'on'): Promise<string> {
  const folder = tempFolder();
  await baton(['init'], { cwd: folder });
  appendFileSync(join(folder, 'baton.yaml'), `folders: { queue: ${folders} }\n`);
  return folder;
}

function request(folder: string, parts: object = {}): void {
  writeFileSync(join(folder, 'request.json'), JSON.stringify({ ...example('request'), ...parts }));
}

async function answered(folder: string, says: string): Promise<{ readonly [key: string]: unknown }> {
  const sent = await baton(['send', '--request', 'request.json'], { cwd: folder });
  expect([sent.stderr, sent.stdout]).toEqual(['', `${ID}\n`]);
  await baton(['work', '@react-specialist', '--once', '--', 'echo', says], { cwd: folder });
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
        errors: [{ field: 'output.components[0].name' }, { field: 'output.components[0].code' }],
      },
      max_retries: 0,
    });
  });

  it('needs no folder, and leaves none where it is off', async () => {
    const folder = await workspace('off');
    writeFileSync(join(folder, 'request.json'), EXAMPLES.request);
    const sent = await baton(['send', '--request', 'request.json'], { cwd: folder });
    expect(sent.stdout).toBe(`${ID}\n`);
    expect(readdirSync(folder)).not.toContain('handoffs');
  });

  it('Q7: is refused with every violation of its input schema, before it is anything', async () => {
    const folder = await workspace();
    request(folder, { input: { schema: 'react-specialist.input', data: { component_requirements: [{}] } } });
    const refused = await baton(['send', '--request', 'request.json'], { cwd: folder });
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain('component_requirements[0].name');
  });
});
