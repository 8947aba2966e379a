import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filesUnder, ROOT } from '../support/source-files.ts';
import { findCycles, findFolderCycles, type Import, judgeDirection, readImports } from './direction.ts';

/** Fewer would mean that the sources moved and this test looks at nothing. */
const MODULES_MIN = 10;

describe('the direction of imports', () => {
  const files = filesUnder('src', '.ts');
  const imports = files.flatMap((file) => readImports(file, readFileSync(join(ROOT, file), 'utf8')));

  it('is seen at all', () => {
    expect(files.length).toBeGreaterThan(MODULES_MIN);
    expect(imports.length).toBeGreaterThan(MODULES_MIN);
  });

  it('points inwards everywhere', () => {
    expect(judgeDirection(imports)).toEqual([]);
  });

  it('closes no cycle', () => {
    expect(findCycles(imports)).toEqual([]);
  });

  it('closes no cycle between folders, types included', () => {
    expect(findFolderCycles(imports)).toEqual([]);
  });
});

describe('the judge of directions', () => {
  it('reports a forbidden import with file and line', () => {
    const text = "import { a } from './a.ts';\n\nimport { openStore } from '../stores/sqlite/open.ts';\n";
    expect(judgeDirection(readImports('src/engine/sweep.ts', text))).toEqual([
      'src/engine/sweep.ts:3 engine may not import src/stores/sqlite/open.ts (stores/sqlite)',
    ]);
  });

  it.each([
    ['src/foundation/ids.ts', '../domain/handoff.ts'],
    ['src/foundation/ids.ts', 'zod'],
    ['src/domain/handoff.ts', 'node:crypto'],
    ['src/domain/handoff.ts', 'zod'],
    ['src/domain/handoff.ts', '../formats/document/read.ts'],
    ['src/formats/document/read.ts', '../../stores/store.ts'],
    ['src/stores/store.ts', '../engine/change.ts'],
    ['src/stores/store.ts', '../folders/folder.ts'],
    ['src/stores/sqlite/open.ts', '../memory/open.ts'],
    ['src/stores/sqlite/open.ts', '../../folders/folder.ts'],
    ['src/stores/sqlite/open.ts', '../../formats/document/read.ts'],
    ['src/stores/sqlite/open.ts', '../../engine/change.ts'],
    ['src/folders/watch.ts', '../stores/store.ts'],
    ['src/engine/engine.ts', '../folders/queue-folder.ts'],
    ['src/engine/engine.ts', '../shadows/container/run.ts'],
    ['src/engine/engine.ts', '../interfaces/shared/requests.ts'],
    ['src/interfaces/http/routes.ts', '../cli/main.ts'],
    ['src/interfaces/http/routes.ts', '../../app/open-workspace.ts'],
    ['src/interfaces/shared/views.ts', '../cli/main.ts'],
    ['src/interfaces/library/open-baton.ts', '../../app/open-workspace.ts'],
    ['src/workspace/policy.ts', '../adapters/database/open-store.ts'],
    ['src/adapters/guard/check.ts', '../../interfaces/cli/output.ts'],
    ['src/operations/send.ts', '../workspace/identity.ts'],
    ['src/app/open-workspace.ts', '../index.ts'],
    ['src/index.ts', './stores/sqlite/open.ts'],
    ['src/elsewhere/open.ts', '../domain/handoff.ts'],
    ['src/app/open-workspace.ts', '../../test/support/clock.ts'],
  ])('refuses %s → %s', (file, specifier) => {
    expect(judgeDirection([made(file, specifier)])).toHaveLength(1);
  });

  it.each([
    ['src/foundation/ids.ts', 'node:crypto'],
    ['src/domain/moves/accept.ts', '../lifecycle.ts'],
    ['src/formats/document/read.ts', '../../domain/handoff.ts'],
    ['src/formats/document/read.ts', 'yaml'],
    ['src/stores/store.ts', '../domain/handoff.ts'],
    ['src/stores/sqlite/open.ts', '../store.ts'],
    ['src/stores/sqlite/open.ts', '../overlay.ts'],
    ['src/stores/sqlite/open.ts', './rows.ts'],
    ['src/folders/queue-folder.ts', '../formats/queue-message/read.ts'],
    ['src/folders/queue-folder.ts', './plain-file.ts'],
    ['src/engine/handoffs/send.ts', '../../stores/store.ts'],
    ['src/interfaces/http/routes.ts', '../shared/requests.ts'],
    ['src/interfaces/http/routes.ts', '../../engine/engine.ts'],
    ['src/interfaces/cli/commands/check.ts', '../../../adapters/guard/check-repository.ts'],
    ['src/adapters/database/open-store.ts', '../../stores/sqlite/open.ts'],
    ['src/app/main.ts', '../interfaces/cli/command.ts'],
    ['src/index.ts', './app/open-baton.ts'],
  ])('allows %s → %s', (file, specifier) => {
    expect(judgeDirection([made(file, specifier)])).toEqual([]);
  });
});

describe('the reader of imports', () => {
  it('sees every way to name another module, and nothing in comments or texts', () => {
    const text = [
      "import a from './a.ts';",
      "import type { B } from './b.ts';",
      "import { type C } from './c.ts';",
      "import './d.ts';",
      "export * from './e.ts';",
      "export type { F } from './f.ts';",
      "const g = await import('./g.ts');",
      "let h: import('./h.ts').H;",
      "// import x from './x.ts';",
      'const y = "import y from \'./y.ts\'";',
      "export { z } from\n  './z.ts';",
    ].join('\n');
    expect(readImports('src/m.ts', text).map((each) => `${each.line} ${each.kind} ${each.specifier}`)).toEqual([
      '1 value ./a.ts',
      '2 type ./b.ts',
      '3 value ./c.ts',
      '4 value ./d.ts',
      '5 value ./e.ts',
      '6 type ./f.ts',
      '7 lazy ./g.ts',
      '8 type ./h.ts',
      '11 value ./z.ts',
    ]);
  });
});

describe('the finder of cycles', () => {
  it('names the files of a cycle', () => {
    const ring = [made('src/a.ts', './b.ts'), made('src/b.ts', './c.ts'), made('src/c.ts', './a.ts')];
    expect(findCycles(ring)).toEqual(['src/a.ts → src/b.ts → src/c.ts → src/a.ts']);
  });

  it('is content with types, lazy imports and two ways to one module', () => {
    const back: Import = { ...made('src/b.ts', './a.ts'), kind: 'type' };
    const later: Import = { ...made('src/c.ts', './a.ts'), kind: 'lazy' };
    const ways = [made('src/a.ts', './b.ts'), made('src/a.ts', './c.ts'), made('src/b.ts', './c.ts')];
    expect(findCycles([...ways, back, later])).toEqual([]);
  });

  it('finds one exactly where an import leads back, however the modules hang together', () => {
    const forward = fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 5 })).map(([from, step]) => [from, from + step]);
    fc.assert(
      fc.property(fc.array(forward, { minLength: 1, maxLength: 60 }), (steps) => {
        const ways = steps.map(([from, to]) => made(`src/n${from}.ts`, `./n${to}.ts`));
        expect(findCycles(ways)).toEqual([]);
        const [from, to] = steps[0] ?? [];
        expect(findCycles([...ways, made(`src/n${to}.ts`, `./n${from}.ts`)])).not.toEqual([]);
      }),
    );
  });
});

function made(file: string, specifier: string): Import {
  return { file, line: 1, specifier, kind: 'value' };
}
