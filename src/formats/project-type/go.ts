/** Go projects, by go.mod. */
import { shellWord } from '../../domain/shadow.ts';
import { CHECKOUT_FILES, type LanguageCommands, type ProjectSource } from './language.ts';

/** The packages of the changed files: their folders. */
export function goModules({ changedFiles, paths }: ProjectSource): readonly string[] {
  const there = new Set(paths);
  const folders = changedFiles
    .filter((path) => path.endsWith('.go') && there.has(path))
    .map((path) => (path.includes('/') ? `./${path.slice(0, path.lastIndexOf('/'))}` : '.'));
  return [...new Set(folders)];
}

export function goCommands({ paths }: ProjectSource, modules: readonly string[]): LanguageCommands {
  const packages = modules.length === 0 ? './...' : modules.map(shellWord).join(' ');
  const main = paths.includes('main.go') ? '.' : null;
  const hasTests = paths.some((path) => path.endsWith('_test.go'));
  return {
    install: 'cd "$SOURCE" && go build ./...',
    installedFiles: CHECKOUT_FILES,
    imports: 'cd "$SOURCE" && go vet ./...',
    cli:
      main === null
        ? null
        : `cd "$SOURCE" && go build -o /tmp/program ${main} && { /tmp/program --version || /tmp/program --help; }`,
    modules: `go build ${packages}`,
    test: hasTests ? 'go test ./...' : null,
    affectedTest: modules.length === 0 ? null : `go test ${packages}`,
    prepareCheckout: null,
    checkoutTest: hasTests ? 'go test ./...' : null,
    testNeedsInstall: true,
  };
}
