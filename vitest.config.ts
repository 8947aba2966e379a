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
const LONG_RUNNING = /\/test\/(?:browser|crash|docs|shadows|succession)\//;

class LongRunningFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG_RUNNING.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig(({ mode }) => ({
  define: { __BATON_VERSION__: JSON.stringify(manifest.version) },
  test: {
    environment: 'node',
    include: mode === LONG ? campaigns() : mode === AGENTS ? ['test/agents/**/*.real.ts'] : ['test/**/*.test.ts'],
    env: mode === LONG ? { BATON_CAMPAIGN: LONG } : {},
    globalSetup: ['test/support/global-setup.ts'],
    watch: false,
    // Forks, because many tests kill processes, change the clock or open the native binding.
    pool: 'forks',
    // Files share a process one after the other: to start one and to load the sources takes longer than most files do.
    // So a file leaves nothing behind: it closes what it opens, and what it sets in the process it sets back.
    isolate: false,
    sequence: { sequencer: LongRunningFirst },
    unstubEnvs: true,
    restoreMocks: true,
    // Many tests wait for processes of their own: three files at once fill two cores.
    // The real agents are installed into one folder: by one file at a time.
    maxWorkers: mode === AGENTS ? 1 : 3,
    // These find what hangs, and cost nothing otherwise. A test of seconds takes minutes where ten others run beside it,
    // and a first run may install a component.
    testTimeout: mode === LONG ? LONG_TEST_MS : 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 120_000 } },
  },
}));

/** Those whose size is in test/support/campaign-sizes.ts, directly or by a file that they import. */
function campaigns(): string[] {
  const texts = new Map<string, string>(
    readdirSync('test', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => [`test/${name}`, readFileSync(`test/${name}`, 'utf8')] as const),
  );
  const isSized = (path: string): boolean => texts.get(path)?.includes('support/campaign-sizes.ts') === true;
  return [...texts]
    .filter(([path]) => path.endsWith('.test.ts'))
    .flatMap(([path, text]) => {
      const imported = [...text.matchAll(/from '(\.[^']+\.ts)'/g)].map(([, name = '']) => join(dirname(path), name));
      return [path, ...imported].some(isSized) ? [path] : [];
    });
}
