/** `baton complete`: prints the script for a shell, and answers the script. */
import { displayLine } from '../../../foundation/display-text.ts';
import type { Handoff } from '../../../domain/handoff.ts';
import { list } from '../../../operations/list.ts';
import { runFor } from '../../../operations/operation.ts';
import type { CommandEntry, OptionEntry } from '../catalogue/entry.ts';
import { cliProblem } from '../problem.ts';
import { withWorkspace, type CommonOptions } from '../with-workspace.ts';
import { BASH_SCRIPT } from './bash-script.ts';
import { completionFor, type Completion } from './candidates.ts';
import { FISH_SCRIPT } from './fish-script.ts';
import { POWERSHELL_SCRIPT } from './powershell-script.ts';
import { ZSH_SCRIPT } from './zsh-script.ts';

/** The newest handoffs. A longer list is no help. */
const HANDOFFS_MAX = 200;
/** The last line of an answer tells the script how to go on. */
const ENDS = { words: ':4', agents: ':4', ids: ':4', nothing: ':4', files: ':0', folders: ':16' } as const;

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: BASH_SCRIPT,
  zsh: ZSH_SCRIPT,
  fish: FISH_SCRIPT,
  powershell: POWERSHELL_SCRIPT,
};

export async function complete(
  args: readonly string[],
  catalogue: readonly CommandEntry[],
  optionsOf: (entry: CommandEntry) => readonly OptionEntry[],
): Promise<string> {
  const [first = '', ...typed] = args;
  if (first !== '--') {
    const shells = Object.keys(SCRIPTS);
    if (!shells.includes(first))
      throw cliProblem('usage', `baton complete takes the name of a shell: ${shells.join(', ')}`);
    return SCRIPTS[first] ?? '';
  }
  const completion = completionFor(catalogue, optionsOf, typed);
  const words = await wordsFor(completion, typed);
  return [...words.map(([word, about]) => `${word}\t${displayLine(about)}`), ENDS[completion.wants], ''].join('\n');
}

async function wordsFor({ wants, words }: Completion, typed: readonly string[]): Promise<Completion['words']> {
  if (wants !== 'agents' && wants !== 'ids') return words;
  const current = typed.at(-1) ?? '';
  // A completion cannot print errors: without a readable workspace it offers nothing.
  const found = await fromWorkspace(wants, commonIn(typed)).catch(() => []);
  return found.filter(([word]) => word.startsWith(current) || (wants === 'agents' && word.startsWith(`@${current}`)));
}

/** The typed options that name the workspace. */
function commonIn(typed: readonly string[]): CommonOptions {
  const after = (name: string): string | undefined => typed[typed.lastIndexOf(name) + 1];
  const named = ['workspace', 'database', 'as'].flatMap((name) => {
    const value = typed.includes(`--${name}`) ? after(`--${name}`) : undefined;
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return { json: true, ...Object.fromEntries(named) };
}

async function fromWorkspace(wants: 'agents' | 'ids', options: CommonOptions): Promise<Completion['words']> {
  return withWorkspace(options, { scope: 'read', onlyReads: true }, async (ctx, principal, { configuration }) => {
    const page = await runFor(list, ctx, principal, { limit: HANDOFFS_MAX }, {});
    const handoffs: readonly Handoff[] = page.ok ? page.value.items : [];
    if (wants === 'ids') return handoffs.map(({ id, state, title }) => [id, `${state} ${title ?? ''}`.trim()] as const);
    const names = new Set([...configuration.agents.keys(), ...handoffs.flatMap(({ from, to }) => [from, to])]);
    return [...names].toSorted().map((name) => [`@${name}`, ''] as const);
  });
}
