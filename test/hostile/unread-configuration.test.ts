/** A hook uses no `baton.yaml` that no command has read, unless that says nothing of a look for work. */
import { expect, it } from 'vitest';
import { parseConfiguration } from '../../src/workspace/configuration.ts';
import { mayAffectWorkCheck } from '../../src/workspace/configuration-cache-file.ts';

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

it('passes over only what says nothing of a look', () => {
  const plain = READ.filter((text) => !mayAffectWorkCheck(text));
  expect(plain).toEqual(READ.slice(0, 4));
  for (const text of plain) {
    const { database, wake } = parseConfiguration(text, 'baton.yaml').text;
    expect([text, database, wake]).toEqual([text, undefined, undefined]);
  }
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
  expect(tricky.filter((text) => !mayAffectWorkCheck(text))).toEqual([]);
});
