/** The table of settings in the page about `baton.yaml`: where each of them is kept. */
import { readFileSync } from 'node:fs';
import { allSettings } from '../../src/workspace/configuration-settings.ts';

export const CONFIGURATION_PAGE = 'docs/reference/configuration.md';

const BEGIN = '<!-- made from src/workspace/configuration-settings.ts -->';
const END = '<!-- end -->';

const WHERE = {
  shared: 'shared: the database, in the newest version of the policy',
  local: 'local: this `baton.yaml`',
} as const;

/** The page as it should be: the table is made, the rest is as it stands. */
export function configurationPage(): string {
  const page = readFileSync(CONFIGURATION_PAGE, 'utf8');
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${CONFIGURATION_PAGE} has no place for the table of settings`);
  const rows = allSettings()
    .toSorted((a, b) => (a.kept === b.kept ? 0 : a.kept === 'shared' ? -1 : 1))
    .map(({ path, kept }) => `| \`${path}\` | ${WHERE[kept]} |`);
  const table = ['| setting | where it is kept |', '|---|---|', ...rows].join('\n');
  return `${page.slice(0, from)}${BEGIN}\n\n${table}\n\n${page.slice(to)}`;
}
