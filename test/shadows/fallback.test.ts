import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { containing, matching } from '../support/expected.ts';
import { tempFolder } from '../support/processes.ts';
import { git, makePlace, makeRepository, NODE_CHANGE, NODE_PROJECT, pointsOf, testShadow } from './samples.ts';

/** A path with git, node and python, and a runtime that does as the test says. */
function pathWith(runtimes: Readonly<Record<string, string>>): { readonly PATH: string; readonly calls: string } {
  const folder = tempFolder();
  const calls = join(folder, 'calls');
  for (const name of ['git', 'sh', 'python3', 'env', 'cat', 'npm']) {
    for (const from of ['/usr/bin', '/bin']) {
      const there = join(folder, name);
      if (existsSync(join(from, name)) && !existsSync(there)) symlinkSync(join(from, name), there);
    }
  }
  symlinkSync(process.execPath, join(folder, 'node'));
  for (const [name, script] of Object.entries(runtimes)) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*" >> '${calls}'\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return { PATH: folder, calls };
}

const CASES: readonly (readonly [
  code: string,
  what: string,
  runtimes: Readonly<Record<string, string>>,
  configuration: string,
])[] = [
  ['docker_not_installed', 'no runtime', {}, ''],
  ['docker_not_running', 'a stopped daemon', { docker: 'echo "Cannot connect to the Docker daemon" >&2; exit 1' }, ''],
  [
    'image_not_found',
    'a missing image',
    { podman: 'case "$1" in version) echo 4.3.1;; *) exit 1;; esac' },
    'shadow: { image: localhost/nowhere }\n',
  ],
  [
    'build_failed',
    'a failing build',
    { podman: 'case "$1" in version) echo 4.3.1;; build) echo "Error: no such step" >&2; exit 1;; *) exit 1;; esac' },
    'shadow: { containerfile: Containerfile }\n',
  ],
  [
    'create_failed',
    'a container that does not start',
    {
      podman:
        'case "$1" in version) echo 4.3.1;; run) echo "Error: OCI runtime error" >&2; exit 126;; container) exit 1;; *) exit 0;; esac',
    },
    '',
  ],
];

describe('where no shadow can be made', () => {
  it.each(CASES)(
    'V1, V7, V8: %s (%s) leads to the 50-point judgement, never rescaled',
    async (code, _what, runtimes, configuration) => {
      const place = makePlace(configuration);
      writeFileSync(join(place.folder, 'Containerfile'), 'FROM localhost/baton-shadow:base\nRUN false\n');
      const { PATH, calls } = pathWith(runtimes);
      const repository = makeRepository(NODE_PROJECT, NODE_CHANGE);
      const verdict = await testShadow(place, repository, [], { PATH });
      expect(verdict.manifest).toEqual({
        shadow_available: false,
        local_sources: [{ path: repository, github_repo: 'acme/widget' }],
        test_context: { changed_files: ['index.js'], affected_modules: ['./index.js'], project_type: 'node' },
        fallback_mode: true,
        failure_reason: code,
      });
      expect(verdict).toMatchObject({
        verdict: 'PASS',
        mode: 'host-only',
        score: 40,
        max_score: 50,
        pass_threshold: 35,
      });
      expect(verdict.evidence.environment.failure_reason).toBe(code);
      expect(verdict.recommendations.join('\n')).toContain('host-only');
      // Nothing of the project ran, and the judgement itself asked no runtime: the last call belongs to the cleaning up.
      expect(pointsOf(verdict)['tests_pass_on_host']).toMatchObject({
        points: 0,
        says: containing('not run'),
      });
      const asked = existsSync(calls) ? readFileSync(calls, 'utf8') : '';
      expect(asked).not.toMatch(/^(?:podman|docker) exec /m);
      expect(git(repository, 'status', '--porcelain')).toBe('M index.js');
    },
  );

  it('V1: preflight says the code and what to do; aliases of the specification are read', async () => {
    const { PATH } = pathWith({});
    const preflight = await makePlace().run(['preflight'], { PATH });
    expect(preflight).toMatchObject({ code: 4, stderr: matching(/docker_not_installed.*install podman/) });
    const { readShadowErrorCode } = await import('../../src/domain/shadow.ts');
    expect(
      [
        'docker_unavail',
        'image_build_failed',
        'container_runtime_not_installed',
        'container_daemon_not_running',
        'image_not_available',
        'nonsense',
      ].map(readShadowErrorCode),
    ).toEqual([
      'docker_not_running',
      'build_failed',
      'docker_not_installed',
      'docker_not_running',
      'image_not_found',
      null,
    ]);
  });

  it('V8: INCOMPLETE where a judgement without a shadow was not allowed', async () => {
    const { PATH } = pathWith({});
    const repository = makeRepository(NODE_PROJECT);
    const refused = await makePlace().run(['test', '--no-host-only', `${repository}:acme/widget`], { PATH });
    expect(refused.code).toBe(7);
    expect(refused.stdout.trimEnd().split('\n').at(-1)).toBe('VERDICT: INCOMPLETE');
    const byPolicy = await testShadow(makePlace('shadow: { host_only: refuse }\n'), repository, [], { PATH });
    expect(byPolicy).toMatchObject({ verdict: 'INCOMPLETE', mode: null, score: 0, max_score: 0 });
    expect(byPolicy.recommendations.join()).toContain('install podman');
  });

  it('V7: broken files are found without running them; what the operator allows is run', async () => {
    const { PATH } = pathWith({});
    const trap = join(tempFolder(), 'trap');
    const change = {
      'index.js': `require("fs").writeFileSync(${JSON.stringify(trap)}, "");\nrequire("left-pad");\n`,
      'broken.js': 'const = 1;\n',
    };
    const repository = makeRepository(NODE_PROJECT, change);
    const verdict = await testShadow(makePlace(), repository, [], { PATH });
    expect(verdict).toMatchObject({ verdict: 'FAIL', mode: 'host-only' });
    expect(pointsOf(verdict)).toMatchObject({
      changed_files_parse: { points: 0, says: containing('broken.js') },
      imports_declared: { points: 0, says: containing('left-pad') },
    });
    expect(existsSync(trap)).toBe(false);
    const sound = makeRepository(NODE_PROJECT, {
      'index.js': `require("fs").writeFileSync(${JSON.stringify(trap)}, "");\nexports.add = (a, b) => a + b;\n`,
    });
    const allowed = await testShadow(makePlace(), sound, ['--allow-host-execution'], { PATH });
    expect(allowed).toMatchObject({ verdict: 'PASS', mode: 'host-only', score: 50 });
    expect(existsSync(trap)).toBe(true);
  });
});
