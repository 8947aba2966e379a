/**
 * The programs that the crash tests start are written in TypeScript against the sources, and bundled once per test
 * file, because Node does not run TypeScript everywhere.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle, type Plugin } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';
import { start, type Running, type StartOptions } from '../support/processes.ts';
import { ROOT } from '../support/source-files.ts';

export interface Programs {
  /** `order` is what the program is to do; it finds it as JSON in its first argument. */
  start(name: string, order: unknown, options?: StartOptions): Running;
  path(name: string): string;
}

/** A change of one source text, to show that a test notices it. */
export interface Sabotage {
  readonly file: RegExp;
  readonly replace: string;
  readonly by: string;
}

/** Called at the top of a test file; what it answers can be used inside its tests. */
export function usePrograms(sources: readonly URL[], sabotage?: Sabotage): Programs {
  // Below node_modules, where the native binding is found.
  const cache = join(ROOT, 'node_modules/.cache');
  let folder = '';
  const path = (name: string): string => join(folder, `${name}.mjs`);
  beforeAll(async () => {
    mkdirSync(cache, { recursive: true });
    folder = mkdtempSync(join(cache, 'baton-programs-'));
    // The thread that beats is a file of its own, which the others look for beside them.
    const files = [
      ...sources.map((source) => fileURLToPath(source)),
      join(ROOT, 'src/adapters/processes/heartbeat-thread.ts'),
    ];
    await bundle({
      entryPoints: Object.fromEntries(files.map((file) => [basename(file, '.ts'), file])),
      outdir: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      outExtension: { '.js': '.mjs' },
      packages: 'external',
      define: { __BATON_VERSION__: '"0.0.0-test"' },
      plugins: sabotage === undefined ? [] : [replacing(sabotage)],
      logLevel: 'warning',
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    path,
    start: (name, order, options) => start(process.execPath, [path(name), JSON.stringify(order)], options),
  };
}

function replacing({ file, replace, by }: Sabotage): Plugin {
  return {
    name: 'sabotage',
    setup: (build) => {
      build.onLoad({ filter: file }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (!text.includes(replace)) throw new Error(`${path} no longer has ${JSON.stringify(replace)}`);
        return { contents: text.replace(replace, by), loader: 'ts' };
      });
    },
  };
}
