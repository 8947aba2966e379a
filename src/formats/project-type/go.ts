/** Go projects, by go.mod. */
import { shellWord } from '../../domain/shadow.ts';
import { changedCode, CHECKOUT_FILES, versionOrHelp, type LanguageCommands, type ProjectSource } from './language.ts';

/** The packages of the changed files: their folders. */
export function goModules(source: ProjectSource): readonly string[] {
  const files = changedCode(source, (path) => path.endsWith('.go'));
  return [...new Set(files.map((path) => (path.includes('/') ? `./${path.slice(0, path.lastIndexOf('/'))}` : '.')))];
}

export function goCommands({ paths }: ProjectSource, modules: readonly string[]): LanguageCommands {
  const packages = modules.length === 0 ? './...' : modules.map(shellWord).join(' ');
  const hasTests = paths.some((path) => path.endsWith('_test.go'));
  return {
    install: 'cd "$SOURCE" && go build ./...',
    installedFiles: CHECKOUT_FILES,
    imports: 'cd "$SOURCE" && go vet ./...',
    cli: paths.includes('main.go')
      ? `cd "$SOURCE" && go build -o /tmp/program . && ${versionOrHelp('/tmp/program')}`
      : null,
    modules: `go build ${packages}`,
    test: hasTests ? 'go test ./...' : null,
    affectedTest: modules.length === 0 ? null : `go test ${packages}`,
    prepareCheckout: null,
    checkoutTest: hasTests ? 'go test ./...' : null,
    testNeedsInstall: true,
  };
}
