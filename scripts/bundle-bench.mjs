/** Bundles parts of bench/ with the engine, the way both benchmark scripts need it. */
import { build } from 'esbuild';

export function bundleBench(options) {
  return build({
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    define: { __BATON_VERSION__: JSON.stringify('bench') },
    logLevel: 'error',
    ...options,
  });
}
