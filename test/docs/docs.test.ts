import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROBLEMS } from '../../src/interfaces/shared/problems.ts';
import { cliPage } from './cli-page.ts';
import { configurationSchema } from './configuration-schema.ts';
import { httpPage } from './http-page.ts';
import { manPage } from './man-page.ts';
import { METHODS_FILE, methodsText } from './library-methods.ts';
import { lifecyclePage } from './lifecycle-page.ts';
import { CONFIGURATION_PAGE, configurationPage } from './settings-table.ts';

/** What is made from tables: each is compared with its file, which BATON_WRITE_DOCS=1 writes. */
const MADE: readonly (readonly [string, () => string])[] = [
  ['docs/reference/lifecycle.md', lifecyclePage],
  ['docs/reference/cli.md', cliPage],
  ['man/baton.1', manPage],
  ['docs/reference/http.md', httpPage],
  [METHODS_FILE, methodsText],
  [CONFIGURATION_PAGE, configurationPage],
  ['schemas/baton.schema.json', () => `${JSON.stringify(configurationSchema(), null, 2)}\n`],
];

describe('the documentation', () => {
  it.each(MADE)('has %s as the tables say it', (file, make) => {
    const text = make();
    if (process.env['BATON_WRITE_DOCS'] === '1') writeFileSync(file, text);
    expect(readFileSync(file, 'utf8'), 'run BATON_WRITE_DOCS=1 npx vitest run test/docs').toBe(text);
  });

  it('the README that is packed links only to what is packed with it, or to an address', () => {
    const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly files: string[] };
    const links = [...readFileSync('README.md', 'utf8').matchAll(/\]\(([^)\s#]+)/g)].map(([, to]) => to ?? '');
    const isPacked = (to: string): boolean => files.some((file) => to === file || to.startsWith(`${file}/`));
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((to) => !/^https?:/.test(to) && !isPacked(to))).toEqual([]);
  });

  it('links only to what is there', () => {
    const pages = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], {
      encoding: 'utf8',
    })
      .split('\0')
      .filter((page) => page !== '');
    const dead = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
        .map(([, target = '']) => join(dirname(page), target))
        .filter((target) => !existsSync(target))
        .map((target) => `${page} → ${target}`),
    );
    expect(pages).toContain('README.md');
    expect(dead).toEqual([]);
  });

  it('lists every exit code in the README', () => {
    const readme = readFileSync('README.md', 'utf8');
    const codes = new Set(Object.values(PROBLEMS).map((problem) => problem.exitCode));
    for (const code of codes) expect(readme).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
  });

  it('names in the README only commands that exist', () => {
    const help = execFileSync(process.execPath, ['dist/baton.cjs', '--help'], { encoding: 'utf8' });
    const readme = readFileSync('README.md', 'utf8');
    const table = /\| commands \|[^]*?\n\n/.exec(readme)?.[0] ?? '';
    const listed = [...table.matchAll(/`([a-z]+)`(?=[^|]*\|[^|]*\|\n)/g)];
    const named = new Set([...readme.matchAll(/\bbaton ([a-z]+)\b/g), ...listed].map(([, name]) => name));
    const known = new Set([...help.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name]) => name));
    expect([...named].filter((name) => !known.has(name) && name !== 'is')).toEqual([]);
    expect(named.size).toBeGreaterThan(20);
  });
});
