/** What a hook reads of a `baton.yaml` that no command has read yet is what the whole reader reads, or nothing. */
import { expect, it } from 'vitest';
import { parseConfiguration } from '../../src/workspace/configuration.ts';
import { mayConcernLook } from '../../src/workspace/kept-configuration.ts';
import { lookSettingsIn } from '../../src/workspace/hook-settings.ts';

const READ = [
  '',
  '# only a comment\n',
  'project: shop\nverifiers: [qa]\n',
  '# made by baton init\nproject: "shop: a"\n\n# database: x.db\n',
  'wake: { hooks: off }\n',
  'wake:\n  hooks: "on"\ndatabase: postgres://db/baton\n',
  'database: "${HOME}/x.db"\nagents: { a: { roles: [verifier] } }\n',
  '---\nwake: &w { hooks: off }\n',
];

it.each(READ)('reads %j as the whole reader does', (text) => {
  const { database, wake } = parseConfiguration(text, 'baton.yaml').text;
  const read = lookSettingsIn(text);
  expect([read?.database, read?.wake?.hooks]).toEqual([database, wake?.hooks]);
});

it('passes over only what says nothing of a look', () => {
  const plain = READ.filter((text) => !mayConcernLook(text));
  expect(plain).toEqual(READ.slice(0, 4));
  const tricky = [
    '"database": x.db\n',
    "'wake': { hooks: off }\n",
    '"data\\x62ase": x.db\n',
    '? database\n: x.db\n',
    'project: "a" "b"\n',
    'project: "a\n"\n',
    '{ project: a }\n',
    'a: &a { hooks: off }\n<<: *a\n',
    'database : x.db\n',
    '- a list\n',
    'just words\n',
    '%YAML 1.2\n---\nproject: a\n',
  ];
  expect(tricky.filter((text) => !mayConcernLook(text))).toEqual([]);
});

const BILLION = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefgh'.split('').map((name, at) => {
    const before = 'abcdefgh'[at];
    return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(',')}]`;
  }),
].join('\n');

it.each([
  'wake: [\n',
  'wake: on\n',
  'wake: { hooks: maybe }\n',
  'database: 5\n',
  'database: [a]\n',
  'just words\n',
  '- a list\n',
  'wake: { hooks: on }\nwake: { hooks: off }\n',
  `${'['.repeat(20_000)}\n`,
  `${BILLION}\n`,
  `# ${'x'.repeat(300_000)}\n`,
])('leaves what is not as it should be to the whole reader', (text) => {
  expect(lookSettingsIn(text)).toBeNull();
});
