import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { readShadowId } from '../../../src/domain/names.ts';
import type { ShadowManifest } from '../../../src/domain/shadow.ts';
import { manifestText, readManifest, readManifestText } from '../../../src/formats/shadow-manifest/manifest.ts';

const MANIFEST: ShadowManifest = {
  shadowId: readShadowId('shadow-abc123'),
  shadowAvailable: true,
  localSources: [{ path: '~/repos/my-library', repository: 'myorg/my-library', snapshotCommit: 'abc1234' }],
  changedFiles: ['src/a.py', 'odd "name".py'],
  affectedModules: ['a'],
  projectType: 'python',
  fallbackMode: false,
  failureReason: null,
};

describe('the handoff manifest', () => {
  it('V5: is exactly what the specification writes', () => {
    expect(parse(manifestText(MANIFEST))).toEqual({
      shadow_id: 'shadow-abc123',
      shadow_available: true,
      local_sources: [{ path: '~/repos/my-library', github_repo: 'myorg/my-library', snapshot_commit: 'abc1234' }],
      test_context: { changed_files: ['src/a.py', 'odd "name".py'], affected_modules: ['a'], project_type: 'python' },
      fallback_mode: false,
      failure_reason: null,
    });
    expect(readManifestText(manifestText(MANIFEST))).toEqual({ ok: true, value: MANIFEST });
  });

  it('V5: the fallback form of the specification is read, with the alias of its code', () => {
    const text =
      'shadow_available: false\nlocal_sources:\n  - path: ~/repos/x\n    github_repo: myorg/x\ntest_context:\n  project_type: node\n' +
      'fallback_mode: true\nfailure_reason: "docker_unavail"\nunknown: kept\n';
    expect(readManifestText(text)).toMatchObject({
      ok: true,
      value: {
        shadowId: null,
        fallbackMode: true,
        failureReason: 'docker_not_running',
        projectType: 'node',
        changedFiles: [],
      },
    });
  });

  it.each([
    ['snapshot_commit', { local_sources: [{ path: 'x', github_repo: 'a/b', snapshot_commit: '; rm -rf ~' }] }],
    ['github_repo', { local_sources: [{ path: 'x', github_repo: 'a/../../b', snapshot_commit: 'abc1234' }] }],
    ['shadow_id', { shadow_id: '../..' }],
    ['shadow_id', { shadow_id: null }],
    ['local_sources', { local_sources: [] }],
    ['local_sources', { local_sources: [{ path: 'x', github_repo: 'a/b' }] }],
    ['test_context', { test_context: { project_type: 'cobol' } }],
    ['failure_reason', { failure_reason: 'whatever' }],
    ['fallback_mode', { fallback_mode: 'no' }],
  ])('V5: a wrong %s is a problem that names the field', (field, change) => {
    const sound = parse(manifestText(MANIFEST)) as object;
    const read = readManifest({ ...sound, ...change });
    const fields = read.ok ? [] : read.refusal.map((problem) => problem.field);
    expect(fields.join()).toContain(field);
  });

  it.each([`${'a: '.repeat(3)}`, '[', `${'['.repeat(200)}`, 'a: &a [*a]', `x: ${'y'.repeat(2 * 1024 * 1024)}`])(
    'V5: a text that is no manifest is a problem, not a fault (%#)',
    (text) => {
      expect(readManifestText(text).ok).toBe(false);
    },
  );
});
