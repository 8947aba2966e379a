/** Folders and file names that are not a project's own handoffs: tests, examples, templates, documentation, packages. */

const FOREIGN =
  /^(?:__tests?__|tests?|e2e|specs?|__fixtures__|fixtures?|test[-_]?data|testing|mocks?|__mocks__|__snapshots__|snapshots?|examples?|samples?|demos?|templates?|docs?|documentation|schemas?|vendor|vendored|third[-_]?party|external|node_modules|bower_components|site-packages|\.?venv|i18n|locales?|lang|translations?|migrations)$/i;

const PACKAGES = /(?:^|\/)(?:vendor|vendored|third[-_]?party|node_modules|bower_components|site-packages|\.?venv)\//i;

/** Files of vendored packages are not even opened. */
export function isInPackage(path: string): boolean {
  return PACKAGES.test(path);
}

/**
 * The first folder on the path of a file that makes it none of the project's own handoffs; null: there is none. The folder
 * that the user asked about and those above it do not count.
 */
export function foreignFolderIn(path: string, below: string): string | null {
  const folders = path.split('/').slice(0, -1);
  const asked = below === '' ? 0 : below.split('/').length;
  const at = folders.findIndex((folder, index) => index >= asked && FOREIGN.test(folder));
  return at < 0 ? null : folders.slice(0, at + 1).join('/');
}

const OTHER_KIND =
  /^(?:_?readme|_?index|changelog|contributing|license|claude|agents?|skill|protocol|glossary)$|template|(?:^|[-_. ])(?:example|sample|schema|fixture|blank|form)s?(?=$|[-_. ])|^(?:agent[-_ ])?hand[-_ ]?(?:off|over)s?[-_ ](?:protocol|guide|guidelines?|process|policy|format|rules|instructions|howto|workflow|checklist|spec|specification|standard|overview|faq|index|log|metrics)s?$/i;

export function isOtherKind(stem: string): boolean {
  return OTHER_KIND.test(stem);
}
