import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const manifest = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as { version: string };

export default defineConfig({
  define: { __BATON_VERSION__: JSON.stringify(manifest.version) },
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    watch: false,
    // Forks, because many tests kill processes, change the clock or open the native binding.
    pool: 'forks',
    // The tests start processes of their own: two files at once already fill a small machine.
    maxWorkers: 2,
    // A first run may install a component or wait for a lease to end.
    testTimeout: 60_000,
    hookTimeout: 180_000,
    teardownTimeout: 20_000,
    // What is waited for comes when it comes: a second is nothing on a machine that is busy with another file.
    expect: { poll: { timeout: 20_000 } },
  },
});
