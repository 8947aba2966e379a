import { describe, expect, it } from 'vitest';
import { containing } from '../../support/expected.ts';
import type { ProjectSource } from '../../../src/formats/project-type/language.ts';
import { affectedModules, detectProjectType, commandsFor } from '../../../src/formats/project-type/project.ts';

function source(texts: Readonly<Record<string, string>>, more: Partial<ProjectSource> = {}): ProjectSource {
  return {
    paths: [...Object.keys(texts), ...(more.paths ?? [])],
    texts: new Map(Object.entries(texts)),
    changedFiles: more.changedFiles ?? [],
    repository: 'acme/widget',
    commit: 'a'.repeat(40),
    base: more.base ?? null,
  };
}

describe('what kind of project it is', () => {
  it.each([
    ['node', { 'package.json': '{}' }],
    ['python', { 'pyproject.toml': '' }],
    ['python', { 'setup.py': '' }],
    ['python', { 'requirements.txt': '' }],
    ['rust', { 'Cargo.toml': '' }],
    ['go', { 'go.mod': '' }],
    [null, { 'README.md': '' }],
  ])('V5: %s', (type, texts) => {
    expect(detectProjectType(source(texts as Readonly<Record<string, string>>))).toBe(type);
  });

  it('V5: changed files become modules in the words of the language; tests and deleted files do not', () => {
    const files = ['lib/a.js', 'lib/a.test.js', 'README.md'];
    expect(
      affectedModules('node', source({ 'package.json': '{}' }, { paths: files, changedFiles: [...files, 'gone.js'] })),
    ).toEqual(['./lib/a.js']);
    const python = [
      'src/pkg/__init__.py',
      'src/pkg/net/tcp.py',
      'tests/test_tcp.py',
      'setup.py',
      'src/pkg/odd-name.py',
    ];
    expect(affectedModules('python', source({}, { paths: python, changedFiles: python }))).toEqual([
      'pkg',
      'pkg.net.tcp',
    ]);
    const rust = ['src/lib.rs', 'src/net/tcp.rs', 'src/net/mod.rs'];
    expect(affectedModules('rust', source({}, { paths: rust, changedFiles: rust }))).toEqual([
      'crate',
      'net::tcp',
      'net',
    ]);
    const go = ['main.go', 'net/tcp.go', 'net/udp.go'];
    expect(affectedModules('go', source({}, { paths: go, changedFiles: go }))).toEqual(['.', './net']);
  });
});

describe('the commands of a project', () => {
  it('V5: rust and go have theirs, and baton.yaml has the last word', () => {
    const rust = commandsFor(
      'rust',
      source({ 'Cargo.toml': '[package]\nname = "tool"\n' }, { paths: ['src/main.rs'] }),
    );
    expect(rust).toMatchObject({
      install: containing('cargo build'),
      cli: containing('./target/debug/tool --version'),
      test: containing('cargo test'),
    });
    const go = commandsFor('go', source({ 'go.mod': 'module x' }, { paths: ['main.go', 'a_test.go'] }));
    expect(go).toMatchObject({
      install: containing('go build ./...'),
      test: containing('go test ./...'),
    });
    const own = commandsFor('go', source({ 'go.mod': 'module x' }), { test: 'make check', install: 'make' });
    expect(own).toMatchObject({ install: 'cd "$SOURCE" && make', test: 'cd "$SOURCE" && make check' });
  });

  it('V5: npm init’s placeholder is no test, and a package without a name is used where it lies', () => {
    const commands = commandsFor(
      'node',
      source({
        'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}',
        'index.js': '',
      }),
    );
    expect(commands.test).toBeNull();
    expect(commands.install).toContain('cd "$SOURCE" && npm install');
    expect(commands.imports).toContain('./index.js');
  });

  it('V5: names of files and packages stay words of the shell, whatever is in them', () => {
    const hostile = "a'; touch x; '.js";
    const commands = commandsFor(
      'node',
      source({ 'package.json': '{"name":"x$(id)","version":"1.0.0"}' }, { paths: [hostile], changedFiles: [hostile] }),
    );
    expect(commands.modules).toContain(`'./a'\\''; touch x; '\\''.js'`);
    expect(JSON.stringify(commands)).not.toContain('x$(id)');
  });

  it.each(['', 'not json', '[]', '{"scripts":{"test":5},"bin":7,"main":[]}', 'null'])(
    'V5: a package.json that says %j is no fault',
    (text) => {
      expect(() => commandsFor('node', source({ 'package.json': text, 'index.js': '' }))).not.toThrow();
    },
  );
});
