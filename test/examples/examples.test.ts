import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WITHOUT_POSTGRES, type PrivatePostgres } from '../support/private-postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { build as bundle } from 'esbuild';
import { rolldown } from 'rolldown';
import { built } from '../support/built.ts';
import { folderWithBaton } from '../support/command-on-path.ts';
import { start, tempFolder, type Ended } from '../support/processes.ts';
import { filesUnder, ROOT } from '../support/source-files.ts';

const POSTGRES = 'examples/postgres.mjs';
/** Those with frameworks of others are run by `npm run test:bridges`. */
const BRIDGES = 'examples/bridges/';
const programs = filesUnder('examples', '.mjs').filter((file) => file !== POSTGRES && !file.startsWith(BRIDGES));

let server: PrivatePostgres | null = null;
afterAll(async () => server?.remove());

/** Runs it where its temporary files can be counted, far from any workspace. */
async function run(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const folder = tempFolder();
  const ended = await start(program, args, { cwd: folder, env: { TMPDIR: folder, ...env } }).ended;
  if (ended.code !== 0) throw new Error(`it ended with ${ended.code ?? ended.signal}: ${ended.stderr}`);
  expect(readdirSync(folder), 'what it left behind').toEqual([]);
  return ended;
}

describe('the examples', () => {
  beforeAll(() => built('library'));
  it('are there', () => {
    expect(programs.length).toBeGreaterThan(4);
  });

  it.each(programs)('%s does what it says, and leaves nothing behind', async (file) => {
    const { stdout, stderr } = await run(process.execPath, [join(ROOT, file)]);
    expect(stdout.trim()).not.toBe('');
    expect(stderr).toBe('');
  });

  it('the typed pipeline merges what could be rendered, and hands the rest to a person', async () => {
    const { stdout } = await run(process.execPath, [join(ROOT, 'examples/pipeline.mjs')]);
    expect(stdout).toBe('{ pages: 2 }\n@person looks at page 3: page 3 is torn\n');
  });

  it('a browser hears of a handoff from its beginning to its end', async () => {
    const { stdout } = await run(process.execPath, [join(ROOT, 'examples/progress-server.mjs')]);
    expect(stdout).toMatch(/^create → accept → .*deliver → complete\n$/);
  });

  it.each(['esm', 'cjs'] as const)('a program that bundles the library as %s needs no file of ours', async (format) => {
    const program = join(tempFolder(), `relay.${format === 'esm' ? 'mjs' : 'cjs'}`);
    // As CommonJS it cannot wait outside of a function.
    const lines = readFileSync(join(ROOT, 'examples/relay.mjs'), 'utf8').split('\n');
    const start = lines.findLastIndex((line) => line.startsWith('import ')) + 1;
    const contents = [...lines.slice(0, start), '(async () => {', ...lines.slice(start), '})();'].join('\n');
    await bundle({
      stdin: { contents, resolveDir: ROOT },
      outfile: program,
      alias: { batonpass: join(ROOT, 'dist/lib/index.js') },
      bundle: true,
      platform: 'node',
      format,
      // Native code cannot be bundled. Where Node has SQLite itself, none is needed.
      external: ['@photostructure/sqlite'],
      logLevel: 'silent',
    });
    symlinkSync(join(ROOT, 'node_modules'), join(dirname(program), 'node_modules'));
    const { stdout } = await run(process.execPath, [program]);
    const { stdout: unbundled } = await run(process.execPath, [join(ROOT, 'examples/relay.mjs')]);
    expect(stdout).toBe(unbundled);
  });

  it('a program that rolldown bundles needs no file of ours either', async () => {
    const folder = tempFolder();
    const made = await rolldown({
      input: join(ROOT, 'examples/relay.mjs'),
      platform: 'node',
      resolve: { alias: { batonpass: join(ROOT, 'dist/lib/index.js') } },
      external: ['@photostructure/sqlite'],
    });
    await made.write({ dir: folder, entryFileNames: '[name].mjs' });
    await made.close();
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const { stdout } = await run(process.execPath, [join(folder, 'relay.mjs')]);
    expect(stdout).toMatch(/^3 handoffs done/);
  });

  it('Q17: the journey of the React component ends with a report of what was generated', async () => {
    const { stdout } = await run(process.execPath, [join(ROOT, 'examples/react-journey.mjs')]);
    expect(stdout).toBe('src/UserProfile.tsx: 8 lines, active\n');
  });

  it(`${POSTGRES} does the same on PostgreSQL`, async ({ skip }) => {
    server = await sharedPostgres();
    if (server === null) return skip(WITHOUT_POSTGRES);
    const database = await server.createDatabase('example');
    const { stdout } = await run(process.execPath, [join(ROOT, POSTGRES)], { BATON_DATABASE: database });
    expect(stdout).toBe('sums: 11 12 13\n');
  });

  it('examples/shell.sh goes from draft to completed with the command', async () => {
    const path = [await folderWithBaton(), process.env['PATH'] ?? ''].join(delimiter);
    const { stdout, stderr } = await run('sh', [join(ROOT, 'examples/shell.sh')], { PATH: path });
    expect(stdout).toContain('verify   → completed  @qa');
    expect(stderr).toContain('there is no file "login.html" in the workspace');
  });
});
