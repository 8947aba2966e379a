/** A shadow test as a handoff. Without a runtime on the path, so that it is quick: the judgement is the host-only one. */
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { containing } from '../support/expected.ts';
import { quickBaton, tempFolder } from '../support/processes.ts';
import { makePlace, makeRepository, NODE_CHANGE, NODE_PROJECT, testShadow, type ShadowPlace } from './samples.ts';

function pathWithoutRuntime(): string {
  const folder = tempFolder();
  for (const name of ['git', 'sh', 'env'])
    if (existsSync(join('/usr/bin', name))) symlinkSync(join('/usr/bin', name), join(folder, name));
  symlinkSync(process.execPath, join(folder, 'node'));
  return folder;
}

async function show(place: ShadowPlace, id: string): Promise<Record<string, unknown>> {
  const shown = await quickBaton(['show', id, '--json'], { cwd: place.folder });
  return JSON.parse(shown.stdout) as Record<string, unknown>;
}

describe('a shadow test as a handoff', () => {
  it('V9: goes from @shadow-operator to @shadow-smoke-test with the manifest, and a FAIL verdict completes it', async () => {
    const place = makePlace();
    const repository = makeRepository(NODE_PROJECT, { 'index.js': 'const = 1;\n', 'package.json': '{' });
    const verdict = await testShadow(place, repository, [], { PATH: pathWithoutRuntime() });
    expect(verdict.verdict).toBe('FAIL');
    const handoff = await show(place, verdict.handoff_id);
    expect(handoff).toMatchObject({
      state: 'completed',
      from: '@shadow-operator',
      to: '@shadow-smoke-test',
      attempt: 1,
      input: verdict.manifest,
    });
    expect(verdict).toMatchObject(handoff['result'] as object);
  });

  it('V9: a test that cannot be run fails the handoff, and a manifest from anybody reads nothing outside', async () => {
    const place = makePlace();
    const send = async (manifest: unknown): Promise<string> => {
      const input = JSON.stringify(manifest);
      const sent = await quickBaton(['send', '--from', '@me', '--to', '@shadow-smoke-test', '--input', input], {
        cwd: place.folder,
      });
      return sent.stdout.trim();
    };
    const secret = makeRepository(NODE_PROJECT, NODE_CHANGE, 'secret');
    const local = [{ path: secret, github_repo: 'acme/secret' }];
    const gone = await send({
      shadow_id: 'shadow-gone',
      shadow_available: true,
      local_sources: [{ ...local[0], snapshot_commit: 'a'.repeat(40) }],
      fallback_mode: false,
    });
    const outside = await send({
      shadow_available: false,
      local_sources: local,
      fallback_mode: true,
      failure_reason: 'docker_unavail',
    });
    const wrong = await send({ shadow_available: true, snapshot_commit: '; rm -rf ~' });
    const instruction = await send(
      `Shadow environment unavailable.\n\nHANDOFF MANIFEST:\n\`\`\`yaml\nshadow_available: false\nlocal_sources:\n  - path: ${place.folder}\n    github_repo: acme/place\nfallback_mode: true\nfailure_reason: docker_not_running\n\`\`\`\n`,
    );
    await testShadow(place, makeRepository(NODE_PROJECT), [], { PATH: pathWithoutRuntime() });
    const errors = await Promise.all([gone, outside, wrong].map(async (id) => (await show(place, id))['failure']));
    expect(errors).toMatchObject([
      { code: 'DEPENDENCY_MISSING', message: containing('shadow-gone') },
      { code: 'SCHEMA_VALIDATION_FAILED', message: containing('outside') },
      { code: 'SCHEMA_VALIDATION_FAILED', message: containing('local_sources') },
    ]);
    expect(await show(place, instruction)).toMatchObject({
      state: 'completed',
      result: { mode: 'host-only', verdict: 'FAIL' },
    });
  });

  it('V8, V9: the report ends with the verdict, and the YAML form has the keys of the specification', async () => {
    const place = makePlace();
    const repository = makeRepository(NODE_PROJECT, NODE_CHANGE);
    const PATH = pathWithoutRuntime();
    const report = await place.run(['test', `${repository}:acme/widget`], { PATH });
    expect(report.stdout.trimEnd().split('\n').at(-1)).toMatch(/^VERDICT: (?:PASS|FAIL)$/);
    const { parse } = await import('yaml');
    const yaml = await place.run(['test', '--yaml', `${repository}:acme/widget`], { PATH });
    expect(Object.keys(parse(yaml.stdout) as object)).toEqual([
      'verdict',
      'mode',
      'score',
      'max_score',
      'pass_threshold',
      'evidence',
      'issues_found',
      'recommendations',
    ]);
  });
});
