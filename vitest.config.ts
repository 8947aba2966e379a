import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const manifest = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as { version: string };

/** `vitest run --mode long` runs the tests of chance and of crowds, and those alone, at full size. */
const LONG = 'long';
/** `vitest run --mode agents` runs the real command lines of Claude Code, Codex and Gemini against a stand-in model. */
const AGENTS = 'agents';
/** A long campaign ends by its size. */
const LONG_TEST_MS = 4 * 60 * 60 * 1000;

/** Small files whose tests take long: begun last, one of them alone would keep everybody waiting. */
const LONG_RUNNING =
  /\/test\/(?:(?:browser|contract|crash|docs|examples|shadows|succession)\/|hostile\/deleted\.|folders\/documents-|postgres\/lost-answers\.|transfer\/interrupted-)/;

class LongRunningFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [true, false].flatMap((first) => sorted.filter(({ moduleId }) => LONG_RUNNING.test(moduleId) === first));
  }
}

export default defineConfig(({ mode }) => {
  // Node reads them whenever a process starts, which may take it three times as long as all else that it does then. The
  // tests start thousands, and only what installs the agents talks to other machines.
  if (mode !== AGENTS) delete process.env['NODE_EXTRA_CA_CERTS'];
  return {
    define: { __BATON_VERSION__: JSON.stringify(manifest.version) },
    test: {
      include: mode === LONG ? campaigns() : testFiles(mode === AGENTS ? '.real.ts' : '.test.ts'),
      environment: 'node',
      env: mode === LONG || mode === AGENTS ? { BATON_CAMPAIGN: mode } : {},
      // Forks, because many tests kill processes, change the clock or open the native binding.
      pool: 'forks',
      // Files share a process one after the other: to start one and to load the sources takes longer than most of them do.
      // So they close what they open, and set back what they set. Campaigns of hours and installed agents have their own.
      isolate: mode === LONG || mode === AGENTS,
      unstubEnvs: true,
      restoreMocks: true,
      // These find what hangs, and cost nothing otherwise. A test of seconds takes minutes where ten others run beside it,
      // and a first run may install a component.
      testTimeout: mode === LONG ? LONG_TEST_MS : 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 120_000 } },
      globalSetup: ['test/support/global-setup.ts'],
      watch: false,
      sequence: { sequencer: LongRunningFirst },
      // Many tests wait for processes of their own: with three files at once two cores stood still a third of the time.
      // The real agents are installed into one folder: by one file at a time.
      maxWorkers: mode === AGENTS ? 1 : 4,
      teardownTimeout: 60_000,
    },
  };
});

/** Those whose size is in test/support/campaign-sizes.ts, directly or by a file that they import. */
function campaigns(): string[] {
  const texts = new Map(testFiles('.ts').map((path) => [path, readFileSync(path, 'utf8')]));
  const isSized = (path: string): boolean => texts.get(path)?.includes('support/campaign-sizes.ts') === true;
  return testFiles('.test.ts').filter((path) => {
    const imports = [...(texts.get(path) ?? '').matchAll(/from '(\.[^']+\.ts)'/g)];
    return [path, ...imports.map(([, name = '']) => join(dirname(path), name))].some(isSized);
  });
}

function testFiles(ending: string): string[] {
  const names = readdirSync('test', { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith(ending)).map((name) => `test/${name.replaceAll('\\', '/')}`);
}
