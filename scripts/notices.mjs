/**
 * The licences of the packages whose code is inside what is built: most of them ask to be carried along. One file each
 * for the command, the library and the dashboard, in `dist/notices/`.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice|unlicense)(?:[.-].*)?$/i;
/** The last one counts: a package may lie inside another one. */
const PACKAGE = /^(.*[\\/]node_modules[\\/]|node_modules[\\/])((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;

/** The folders of the packages that these files of a bundle come from, each once. */
export function packagesOf(files) {
  const found = new Map();
  for (const file of files) {
    const [, before, name] = PACKAGE.exec(file) ?? [];
    if (name !== undefined) found.set(before + name, name.replaceAll('\\', '/'));
  }
  return found;
}

/** `root` is where relative folders begin. */
export function noticesText(what, files, root) {
  const packages = [...packagesOf(files)].map(([folder, name]) => ({ name, ...noticeOf(join(root, folder)) }));
  const unique = new Map(packages.map((each) => [`${each.name} ${each.version}`, each]));
  const parts = [...unique]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, { licence, texts }]) => {
      const said = texts.length === 0 ? 'The package carries no text of its licence.' : texts.join('\n\n');
      return `${'='.repeat(78)}\n${title} (${licence})\n${'='.repeat(78)}\n\n${said}\n`;
    });
  return `${what} contains code of the packages below, under their licences.\n\n${parts.join('\n')}`;
}

function noticeOf(folder) {
  const { version = '', license = 'licence not stated' } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => LICENCE_FILE.test(name)) : [];
  const texts = names.toSorted().map((name) => readFileSync(join(folder, name), 'utf8').trim());
  return { version, licence: typeof license === 'string' ? license : (license.type ?? 'licence not stated'), texts };
}
