import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/foundation/json.ts';
import { anArtifact, requiring } from '../artifacts/artifact-world.ts';
import { makeWorkspace, sqlite, type Workspace } from './workspaces.ts';

function put({ folder }: Workspace, name: string, content: string | object): string {
  mkdirSync(join(folder, 'artifacts/notes'), { recursive: true });
  const path = `artifacts/notes/${name}.json`;
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function json(workspace: Workspace, args: readonly string[]): Promise<JsonObject> {
  const { stdout, stderr, code } = await workspace.run(['artifact', ...args, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as JsonObject;
}

describe('baton artifact', () => {
  it('Q14: registers, shows and finds, from any folder of the workspace', async () => {
    const workspace = await makeWorkspace(sqlite);
    put(workspace, 'base', anArtifact('base'));
    put(workspace, 'user', anArtifact('user', requiring('base')));
    const inside = { cwd: join(workspace.folder, 'artifacts/notes') };
    const registered = await workspace.run(['artifact', 'register', 'base.json', 'user.json'], inside);
    expect([registered.stdout, registered.stderr, registered.code]).toEqual(['base\nuser\n', '', 0]);
    expect(await json(workspace, ['show', 'base'])).toMatchObject({
      artifact_id: 'base',
      status: 'active',
      dependents: ['user'],
      changed: [],
      artifact: { content: { of: 'base' } },
    });
    const found = await workspace.run(['artifact', 'find', '--agent', '@react-specialist', '--phase', '13']);
    expect(found.stdout).toMatch(/^id +type +status.*\nbase .*active.*\nuser /);
    expect(readFileSync(join(workspace.folder, 'artifacts/registry.json'), 'utf8')).toContain('"artifact_id":"user"');
  });

  it('Q14: each refusal has its words and its exit code', async () => {
    const workspace = await makeWorkspace(sqlite);
    const tried = async (args: readonly string[]): Promise<readonly [number | null, string]> => {
      const { code, stderr } = await workspace.run(['artifact', ...args]);
      return [code, stderr];
    };
    const lost = put(workspace, 'lost', anArtifact('lost', requiring('nowhere')));
    const failed = put(workspace, 'failed', anArtifact('failed', { validation: { status: 'failed' } }));
    const bare = put(workspace, 'bare', anArtifact('bare', { content: { files: ['src/none.ts'] } }));
    const named = put(workspace, 'named', anArtifact('named', { metadata: { schema: 'no-such' } }));
    expect(await tried(['register'])).toEqual([2, expect.stringContaining('names of files, or --all')]);
    expect(await tried(['register', '/etc/passwd'])).toEqual([5, expect.stringContaining('below artifacts/')]);
    expect(await tried(['register', lost])).toEqual([4, expect.stringContaining('requires nowhere')]);
    expect(await tried(['register', failed])).toEqual([4, expect.stringContaining('validation.status is failed')]);
    expect(await tried(['register', bare])).toEqual([4, expect.stringContaining('src/none.ts: it is not there')]);
    expect(await tried(['register', named])).toEqual([5, expect.stringContaining('no schema "no-such"')]);
    expect(await tried(['show', 'nobody'])).toEqual([3, expect.stringContaining('no artifact nobody')]);
    expect(await tried(['show', '../x'])).toEqual([5, expect.stringContaining('an id is')]);
    expect(await tried(['find', '--status', 'alive'])).toEqual([5, expect.stringContaining('one of created, active')]);
    expect(await tried(['clean', '--deprecate', 'lost'])).toEqual([2, expect.stringContaining('needs --apply')]);
    expect(await tried(['clean', '--archived-days', '-1'])).toEqual([5, expect.stringContaining('a whole number')]);
    const told = await workspace.run(['artifact', 'register', lost, '--json']);
    expect(JSON.parse(told.stderr)).toMatchObject({ error: { code: 'artifact-lacks', missing: ['nowhere'] } });
  });

  it('Q14: --all takes every artifact, and only notes what is none', async () => {
    const workspace = await makeWorkspace(sqlite);
    put(workspace, 'one', anArtifact('one'));
    put(workspace, 'two', '{"some":"data"}');
    const { stdout, stderr, code } = await workspace.run(['artifact', 'register', '--all']);
    expect([stdout, code]).toEqual(['one\n', 0]);
    expect(stderr).toContain('artifacts/notes/two.json cannot be registered');
  });

  it('Q14: cleans only with --apply, what was deprecated and is old', async () => {
    const workspace = await makeWorkspace(sqlite);
    await json(workspace, ['register', put(workspace, 'old', anArtifact('old'))]);
    await json(workspace, ['register', put(workspace, 'new', anArtifact('new')), '--supersedes', 'old']);
    const dry = await workspace.run(['artifact', 'clean', '--deprecated-days', '0']);
    expect(dry.stdout).toBe('old  deprecated → archived\n');
    expect(dry.stderr).toContain('nothing was changed');
    const applied = await json(workspace, ['clean', '--apply', '--deprecated-days', '0']);
    expect(applied).toMatchObject({ applied: true, changes: [{ id: 'old', to: 'archived' }] });
    expect(await json(workspace, ['find'])).toMatchObject([{ artifact_id: 'new' }]);
    expect(await json(workspace, ['clean'])).toMatchObject({ applied: false, changes: [] });
  });

  it('Q9, Q15: what is sent waits for an artifact, and knows the shared files', async () => {
    const workspace = await makeWorkspace(sqlite);
    mkdirSync(join(workspace.folder, 'context'));
    writeFileSync(join(workspace.folder, 'context/tech-stack.json'), '{"framework":"React"}');
    const context = ['--context', 'tech-stack', '--context', '{"base_artifact_id":"base"}'];
    const id = await workspace.send('@react', {}, context);
    const shown = async (): Promise<JsonObject> =>
      JSON.parse((await workspace.run(['show', id, '--json'])).stdout) as JsonObject;
    expect(await shown()).toMatchObject({
      state: 'blocked',
      blockedOn: { reason: 'artifact' },
      needsArtifacts: ['base'],
      context: { tech_stack: { framework: 'React' }, base_artifact_id: 'base' },
    });
    await json(workspace, ['register', put(workspace, 'base', anArtifact('base'))]);
    expect(await shown()).toMatchObject({ state: 'offered' });
    const wrong = await workspace.run(['send', '--from', '@me', '--to', '@react', '--context', 'project-context']);
    expect([wrong.code, wrong.stderr]).toEqual([5, expect.stringContaining('context/project-context.json')]);
  });

  it('has nothing to say where there is only a database', async () => {
    const workspace = await makeWorkspace(sqlite);
    const path = join(workspace.folder, '.baton/baton.db');
    await workspace.run(['list']);
    const told = await workspace.run(['artifact', 'find', '--database', path], { cwd: '/' });
    expect([told.code, told.stderr]).toEqual([3, expect.stringContaining('baton init')]);
  });
});
