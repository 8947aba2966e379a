/** Runs the sections of a benchmark, all or by name, and stores their results beside earlier results of the other sections. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { report, type Figures } from './report.ts';

export const SCALE = Number(process.env['BATON_BENCH_SCALE'] ?? 1);
export const ROUNDS = Number(process.env['BATON_BENCH_ROUNDS'] ?? 3);

/** As it is said below a picture. */
export const MACHINE = `${cpus().length} cores, Node ${process.version}`;

/** A short run is for whoever works on it; what is kept beside the sources is whole. */
export const RESULTS = SCALE < 1 || process.env['BATON_BENCH_NAMES'] !== undefined ? 'bench/.out' : 'bench/results';

/** Whose tables are those of the last whole run. */
const PAGES = ['docs/operations/performance.md', 'docs/operations/sizing.md'];

export type Sections<Bench> = Readonly<Record<string, (bench: Bench) => Promise<Figures>>>;

/** The sections that the command line asks for; all unless it names some. */
export function sectionsAsked<Bench>(sections: Sections<Bench>): readonly string[] {
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => sections[name] === undefined);
  if (unknown.length > 0) {
    throw new Error(`unknown ${unknown.join(', ')}; there are ${Object.keys(sections).join(', ')}`);
  }
  return asked.length === 0 ? Object.keys(sections) : asked;
}

/** Measures, prints, and writes `NAME.json` and `NAME.md`, and what a whole run found into the pages too. Answers all figures there are. */
export async function runSections<Bench>(
  name: string,
  sections: Sections<Bench>,
  bench: Bench,
  conditions: readonly string[],
): Promise<Record<string, Figures>> {
  const file = `${RESULTS}/${name}`;
  const kept = readResults(`${file}.json`);
  const said = [`${MACHINE}, scale ${SCALE}, rounds ${ROUNDS}`, ...conditions];
  process.stdout.write(`${said.join('\n')}\n\n`);
  const asked = sectionsAsked(sections);
  for (const section of asked) {
    process.stderr.write(`${section}\n`);
    const beganMs = performance.now();
    const figures = await sections[section]?.(bench);
    if (figures === undefined) continue;
    const seconds = Math.round((performance.now() - beganMs) / 1000);
    kept[section] = {
      ...figures,
      conditions: `${new Date().toISOString().slice(0, 10)}, ${seconds} s: ${said.join('; ')}`,
    };
    process.stdout.write(`## ${section}\n\n${report(section, kept[section])}\n\n`);
  }
  const ordered = Object.fromEntries(
    Object.keys(sections).flatMap((section) => (kept[section] === undefined ? [] : [[section, kept[section]]])),
  );
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${file}.json`, `${JSON.stringify(ordered, null, 2)}\n`);
  const texts = Object.entries(ordered).map(
    ([section, figures]) => [section, `${report(section, figures)}\n\n${figures.conditions ?? ''}`] as const,
  );
  writeFileSync(
    `${file}.md`,
    [`# ${name}`, ...texts.map(([section, text]) => `## ${section}\n\n${text}`)].join('\n\n') + '\n',
  );
  if (RESULTS === 'bench/results') {
    for (const [section, text] of texts) if (asked.includes(section)) putIntoPages(`${name} ${section}`, text);
  }
  return ordered;
}

/** Between `<!-- bench NAME SECTION -->` and `<!-- end -->`. */
function putIntoPages(what: string, text: string): void {
  for (const page of PAGES) {
    const before = readFileSync(page, 'utf8');
    const [head = '', ...rest] = before.split(`<!-- bench ${what} -->\n`);
    const after = rest.map((part) => `<!-- bench ${what} -->\n${text}\n\n${part.slice(part.indexOf('<!-- end -->'))}`);
    writeFileSync(page, [head, ...after].join(''));
  }
}

/** Which version of each package was measured. */
export function versionsOf(packages: readonly string[]): string {
  return packages
    .map((name) => {
      const text = readFileSync(`bench/node_modules/${name}/package.json`, 'utf8');
      return `${name} ${(JSON.parse(text) as { version: string }).version}`;
    })
    .join(', ');
}

function readResults(file: string): Record<string, Figures> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Figures>;
  } catch {
    return {};
  }
}
