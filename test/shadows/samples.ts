/** Sample projects, repositories and runs of `baton shadow` for tests. Everything is made in temporary folders. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';
import { howToGet, needComponent } from '../support/components.ts';
import { type Ended, quickBaton, type Running, startBaton, tempFolder } from '../support/processes.ts';

export type Files = Readonly<Record<string, string>>;

/** Where podman is missing and cannot be installed, the test skips with the reason. */
export async function needPodman(context: TestContext): Promise<void> {
  if ((await needComponent('podman')) === null) context.skip(howToGet('podman'));
}

export function git(folder: string, ...args: readonly string[]): string {
  const settings = ['-c', 'user.name=Sample', '-c', 'user.email=sample@localhost', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...settings, ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

export function writeFiles(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    if (text.startsWith('#!')) chmodSync(join(folder, path), 0o755);
  }
}

/** A repository with one commit, and a change that nobody has committed. */
export function makeRepository(committed: Files, uncommitted: Files = {}, name = 'widget'): string {
  const folder = join(tempFolder(), name);
  mkdirSync(folder);
  git(folder, 'init', '-q', '-b', 'main');
  writeFiles(folder, committed);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'first');
  writeFiles(folder, uncommitted);
  return folder;
}

export const NODE_PROJECT: Files = {
  'package.json': JSON.stringify({
    name: 'widget',
    version: '1.0.0',
    main: 'index.js',
    bin: { widget: 'cli.js' },
    scripts: { test: 'node --test' },
  }),
  'index.js': 'exports.add = (a, b) => a + b;\n',
  'cli.js': '#!/usr/bin/env node\nconsole.log(require("./index.js").add(1, 2));\n',
  'index.test.js':
    'const test = require("node:test");\nconst assert = require("node:assert");\n' +
    'test("adds", () => assert.equal(require("./index.js").add(1, 2), 3));\n',
};

export const NODE_CHANGE: Files = { 'index.js': 'exports.add = (a, b) => a + b;\nexports.twice = (a) => 2 * a;\n' };

export const PYTHON_PROJECT: Files = {
  'pyproject.toml':
    '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n\n' +
    '[project]\nname = "gadget"\nversion = "1.0.0"\ndependencies = []\n\n' +
    '[project.scripts]\ngadget = "gadget.cli:main"\n\n[tool.setuptools.packages.find]\nwhere = ["src"]\n',
  'src/gadget/__init__.py': 'from gadget.sums import add\n',
  'src/gadget/sums.py': 'def add(a, b):\n    return a + b\n',
  'src/gadget/cli.py': 'def main():\n    print("gadget 1.0.0")\n',
  'tests/__init__.py': '',
  'tests/test_sums.py':
    'import unittest\nfrom gadget.sums import add\n\n\nclass Sums(unittest.TestCase):\n' +
    '    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n',
};

export const PYTHON_CHANGE: Files = {
  'src/gadget/sums.py': 'def add(a, b):\n    return a + b\n\n\ndef twice(a):\n    return 2 * a\n',
};

export interface Point {
  readonly points: number;
  readonly max_points: number;
  readonly judged: string;
  readonly question: string;
  readonly says: string;
  readonly runs: readonly {
    readonly command: string;
    readonly exit_code: number | null;
    readonly output: string;
    readonly duration_ms: number;
    readonly stopped_by?: string;
  }[];
}

export interface VerdictJson {
  readonly handoff_id: string;
  readonly verdict: string;
  readonly mode: string | null;
  readonly score: number;
  readonly max_score: number;
  readonly pass_threshold: number;
  readonly manifest: { readonly shadow_id?: string } & Readonly<Record<string, unknown>>;
  readonly evidence: Readonly<
    Record<
      string,
      { readonly score: number; readonly max_score: number; readonly points: Readonly<Record<string, Point>> }
    >
  > & {
    readonly environment: {
      readonly failure_reason: string | null;
      readonly warnings: readonly string[];
      readonly limits: Readonly<Record<string, { readonly enforced: boolean }>>;
      readonly sources: readonly { readonly tree: string }[];
      readonly base: string | null;
    };
  };
  readonly issues_found: readonly string[];
  readonly recommendations: readonly string[];
}

export interface ShadowPlace {
  readonly folder: string;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Running;
}

/** A workspace beside the repositories, so that nothing of ours lies in them. */
export function makePlace(configuration = ''): ShadowPlace {
  const folder = tempFolder();
  writeFileSync(join(folder, 'baton.yaml'), configuration);
  // A test that fails in the middle leaves its shadow.
  onTestFinished(() => removeContainers(folder));
  return {
    folder,
    run: (args, env = {}) => quickBaton(['shadow', ...args], { cwd: folder, env }),
    start: (args, env = {}) => startBaton(['shadow', ...args], { cwd: folder, env }),
  };
}

export async function testShadow(
  place: ShadowPlace,
  repository: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<VerdictJson> {
  const ended = await place.run(['test', '--json', ...args, `${repository}:acme/widget`], env);
  try {
    return JSON.parse(ended.stdout) as VerdictJson;
  } catch (error) {
    throw new Error(`no verdict: ${JSON.stringify(ended)}`, { cause: error });
  }
}

export function pointsOf(verdict: VerdictJson): Readonly<Record<string, Point>> {
  const categories = Object.entries(verdict.evidence).filter(([name]) => name !== 'environment');
  return Object.assign({}, ...categories.map(([, category]) => (category as { points: object }).points)) as Readonly<
    Record<string, Point>
  >;
}

/** Names of containers of any Baton workspace that are there now. */
export function containersOf(folder: string): readonly string[] {
  const list = execFileSync('podman', ['ps', '--all', '--format', '{{.Names}} {{.Labels}}'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return list.split('\n').filter((line) => line.startsWith(`baton-${tagOf(folder)}-`));
}

function removeContainers(folder: string): void {
  if (!existsSync(join(folder, '.baton/shadows/environments'))) return;
  if (spawnSync('podman', ['--version']).status !== 0) return;
  for (const line of containersOf(folder)) spawnSync('podman', ['rm', '--force', '--time=0', line.split(' ')[0] ?? '']);
}

function tagOf(folder: string): string {
  return execFileSync('sh', ['-c', `printf %s "$1" | sha256sum | cut -c1-10`, 'sh', folder], {
    encoding: 'utf8',
  }).trim();
}
