/** Runs several commands in one exec, because an exec costs more than most commands. Pure. */
import { shellWord } from '../../domain/shadow.ts';
import type { RunEvidence } from '../../domain/shadow-verdict.ts';

/** Kept output per command. */
const KEPT_BYTES = 64 * 1024;

/**
 * Commands on which isolation checks rely may be batched only before code of the project has run: later, such code could
 * fake their answers.
 */
export function batchCommand(commands: readonly string[], mark: string): string {
  const ask = [
    'ask() {',
    '  began=$(date +%s%N)',
    '  sh -c "$1" > /tmp/batch-output 2>&1 < /dev/null',
    '  code=$?',
    `  printf '\\n%s %s %s\\n' ${mark} "$code" "$(( ($(date +%s%N) - began) / 1000 ))"`,
    `  head -c ${KEPT_BYTES} /tmp/batch-output`,
    '}',
  ].join('\n');
  return [ask, ...commands.map((command) => `ask ${shellWord(command)}`)].join('\n');
}

/** One answer per command that was run; an interrupted batch has fewer. */
export function readBatch(output: string, commands: readonly string[], mark: string): readonly RunEvidence[] {
  const parts = output.split(`\n${mark} `).slice(1);
  return parts.flatMap((part, index) => {
    const command = commands[index];
    const [, code = '', microseconds = '', text = ''] = /^(\d+) (\d+)\n([\s\S]*)$/.exec(part) ?? [];
    if (command === undefined || code === '') return [];
    return [
      { command, exitCode: Number(code), durationMs: Number(microseconds) / 1000, output: text, stoppedBy: null },
    ];
  });
}
