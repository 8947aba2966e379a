/** `docs/reference/cli.md` as the catalogue and the table of problems say it. */
import type { CommandEntry, OptionEntry } from '../../src/interfaces/cli/catalogue/entry.ts';
import { CHAPTERS } from '../../src/interfaces/cli/catalogue/all-commands.ts';
import { sharedOptionsOf } from '../../src/interfaces/cli/catalogue/all-options.ts';
import { PROBLEMS, type ProblemCode } from '../../src/interfaces/shared/problems.ts';
import { EXIT_CODES, MEANINGS } from './problem-meanings.ts';

export function cliPage(): string {
  return `# The command line

This page is made from the catalogue in \`src/interfaces/cli/\`; a test keeps it fresh. The same is said by
\`baton COMMAND --help\`.

Answers go to standard output, everything else to standard error. With \`--json\` the answer is one line of JSON, and a
problem is one line \`{"error":{"code":…,"message":…}}\` on standard error. Names of agents are written with or
without \`@\`. Whoever makes a move says who they are with \`--as\`.

A handoff is named by its id, or by its short id: the first 6 or more digits of the last part of the id, as \`list\` and
\`status\` print them (\`bfb87f7f\` for \`hoff-01a1ea4e-7564-74e2-811f-bfb87f7f60b5\`). Where it stands for several, the command
is refused and names them. HTTP, MCP and the library take short ids too. On a terminal, lists are cut to its width.

${CHAPTERS.map(([title, entries]) => `- ${title}:\n${linesOf(entries.map(linkTo))}`).join('\n')}

## Options that commands share

${optionTable(sharedOptionsOf({}))}

All commands have all of them, except where it is said otherwise.

## Variables

${table(
  ['variable', 'what it does'],
  [
    ['`BATON_DATABASE`', 'the database where there is no `--database`'],
    ['`BATON_TOKEN`', 'proves who you are; see [tokens](../guides/tokens.md)'],
    ['`BATON_KEY_FILE`', 'the private key with which an agent signs its moves; see [trust](../trust.md#signed-moves)'],
    [
      '`BATON_HANDOFF_ID` `BATON_FENCE` `BATON_AGENT`',
      'set by `baton work` for its command; moves of that handoff inside it need neither `--fence` nor `--as`, and what it sends comes from this agent',
    ],
    [
      '`BATON_SQLITE`',
      '`node` or `package`: which SQLite is used; by itself Node’s own from Node 24 on, else `@photostructure/sqlite`',
    ],
    ['`BATON_DEBUG`', 'with any value: faults are told with their stack'],
    ['`NO_COLOR`', 'no colours'],
  ],
)}

${CHAPTERS.map(([title, entries]) => `## ${title}\n\n${entries.map(section).join('\n\n')}`).join('\n\n')}

## Completions

\`\`\`sh
source <(baton complete bash)     # or zsh, fish, powershell
\`\`\`

\`baton complete SHELL\` prints a script that lets this shell complete commands and options, agents and ids of the workspace,
and files where files are meant. The script for bash needs no other package, and never runs what was typed.

## Exit codes

${table(
  ['exit code', ''],
  Object.entries(EXIT_CODES).map(([code, says]) => [code, says]),
)}

130 and 143: ended by Ctrl-C or a signal. \`serve\` ends with 0 then: to be stopped is its normal end.

## Codes of problems

With \`--json\` as \`error.code\`, in the library as \`code\` of a \`BatonRefusal\`. *Again* says whether the same
request can succeed later without being changed.

${table(
  ['code', 'exit code', 'again', 'what it means'],
  (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => [
    `\`${code}\``,
    String(PROBLEMS[code].exitCode),
    PROBLEMS[code].retryable ? 'yes' : '',
    MEANINGS[code],
  ]),
)}
`;
}

function linkTo({ name }: CommandEntry): string {
  return `[${name}](#baton-${name.replaceAll(' ', '-')})`;
}

/** Three to a line: a list of links is read by eye, and its source by people too. */
function linesOf(links: readonly string[]): string {
  const lines = Array.from({ length: Math.ceil(links.length / 3) }, (_, at) => links.slice(at * 3, at * 3 + 3));
  return lines.map((line) => `  ${line.join(', ')}`).join(',\n');
}

function section(entry: CommandEntry): string {
  const { name, takes = '', summary, options = [], note, example } = entry;
  const usage = `baton ${name}${takes === '' ? '' : ` ${takes}`} [options]`;
  const own = [...options, ...sharedOptionsOf(entry)].map(([flags]) => flags);
  const without = sharedOptionsOf({}).filter(([flags]) => !own.includes(flags));
  return [
    `### baton ${name}`,
    `${capitalised(summary)}.`,
    `\`\`\`\n${usage}\n\`\`\``,
    ...(options.length === 0 ? [] : [optionTable(options)]),
    ...(without.length === 0 ? [] : [`Without ${without.map(([flags]) => `\`${flags}\``).join(', ')}.`]),
    ...(note === undefined ? [] : [note]),
    `\`\`\`sh\nbaton ${example}\n\`\`\``,
  ].join('\n\n');
}

function optionTable(options: readonly OptionEntry[]): string {
  const shown = options.filter(([, , details]) => details?.isHidden !== true);
  return table(
    ['option', ''],
    shown.map(([flags, summary]) => [`\`${flags}\``, summary]),
  );
}

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
