/** `man/baton.1` as the catalogue says it. */
import type { CommandEntry, OptionEntry } from '../../src/interfaces/cli/catalogue/entry.ts';
import { CHAPTERS } from '../../src/interfaces/cli/catalogue/all-commands.ts';
import { sharedOptionsOf } from '../../src/interfaces/cli/catalogue/all-options.ts';
import { EXIT_CODES } from './problem-meanings.ts';

/** A hyphen that is typed is another sign than one that divides words, and a line must not begin with a dot or quote. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&');
}

function optionLines([flags, summary, more]: OptionEntry): readonly string[] {
  return more?.isHidden === true ? [] : ['.TP', `.B ${roff(flags)}`, roff(summary)];
}

function commandLines({ name, takes = '', summary, note, options = [], example }: CommandEntry): readonly string[] {
  return [
    `.SS baton ${roff(`${name} ${takes}`.trim())}`,
    `${roff(summary)}.`,
    ...(note === undefined ? [] : ['.PP', roff(note)]),
    ...options.flatMap(optionLines),
    '.PP',
    '.nf',
    roff(`$ baton ${example}`),
    '.fi',
  ];
}

export function manPage(): string {
  return [
    '.\\" Made from the catalogue of commands; a test keeps it fresh.',
    '.TH BATON 1 "" batonpass "User Commands"',
    '.SH NAME',
    'baton \\- hands work from one agent to another and proves that it arrived',
    '.SH SYNOPSIS',
    '.B baton',
    '.I command',
    '[options]',
    '.SH DESCRIPTION',
    roff(
      'Answers go to standard output, everything else to standard error. baton COMMAND --help says the same as this page.',
    ),
    '.SH OPTIONS THAT COMMANDS SHARE',
    ...sharedOptionsOf({}).flatMap(optionLines),
    ...CHAPTERS.flatMap(([title, entries]) => [`.SH ${roff(title.toUpperCase())}`, ...entries.flatMap(commandLines)]),
    '.SH EXIT STATUS',
    ...Object.entries(EXIT_CODES).flatMap(([code, says]) => ['.TP', `.B ${code}`, roff(says.replaceAll('`', ''))]),
    '.TP',
    '.B 130, 143',
    roff('ended by Ctrl-C or a signal; serve ends with 0 then'),
    '',
  ].join('\n');
}
