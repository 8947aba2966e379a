import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { refreshRegistry } from '../../../src/engine/artifacts/registry.ts';
import { anArtifact, artifactWorld, placeOf } from '../../artifacts/artifact-world.ts';
import { answer } from '../../folders/native.ts';
import { ROOT } from '../../support/source-files.ts';
import { artifactSchemas } from './published-schemas.ts';

function flawsOf(file: string, text: string): unknown {
  const judge = new Ajv2020({ strict: false }).compile(artifactSchemas()[file] ?? false);
  judge(JSON.parse(text));
  return judge.errors;
}

describe('the published schemas of artifacts', () => {
  it.each(Object.entries(artifactSchemas()))('%s is what the code reads', (file, schema) => {
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    if (process.env['BATON_WRITE_DOCS'] === '1') writeFileSync(join(ROOT, 'schemas', file), text);
    expect(readFileSync(join(ROOT, 'schemas', file), 'utf8'), 'run this test with BATON_WRITE_DOCS=1').toBe(text);
  });

  it('Q14, Q15: what we write follows them', async () => {
    const world = await artifactWorld();
    const id = await world.send();
    await answer(world, id, { artifact: { content: { files: [] } }, next_steps: ['x'], metadata: { lines: 3 } });
    await world.make('by-hand', { validation: {} });
    await refreshRegistry(world.artifacts);
    await world.sync();
    expect(flawsOf('artifact-registry.schema.json', world.textOf('artifacts/registry.json'))).toBeNull();
    expect(flawsOf('phase-status.schema.json', world.textOf('context/phase-status.json'))).toBeNull();
    expect(flawsOf('artifact.schema.json', world.textOf(placeOf('by-hand')))).toBeNull();
    expect(flawsOf('artifact.schema.json', world.textOf(`artifacts/phase-00-react/artifact-${id}.json`))).toBeNull();
    expect(flawsOf('artifact.schema.json', JSON.stringify(anArtifact('x', { artifact_id: 7 })))).not.toBeNull();
  });
});
