/** What the page of summary blocks says, held against what is there. */
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findBlocks } from '../../src/formats/summary-block/find.ts';
import { readBlock } from '../../src/formats/summary-block/read.ts';
import { BLOCK_FIELDS, FAILURE_FIELDS } from '../../src/formats/summary-block/schema.ts';
import { PHASES, SUMMARY_STATUSES } from '../../src/domain/summary.ts';
import { CI_EXIT_CODES } from '../../src/interfaces/cli/commands/report.ts';
import { measureOf } from '../../src/domain/metrics.ts';
import { folderWithBaton } from '../support/command-on-path.ts';
import { start, tempFolder } from '../support/processes.ts';
import { ROOT } from '../support/source-files.ts';

const PAGE = readFileSync(join(ROOT, 'docs/protocols/summaries.md'), 'utf8');

function section(title: string): string {
  const [, text = ''] = new RegExp(`^## ${title}\\n(.*?)(?=^## |\\Z)`, 'ms').exec(`${PAGE}\n## end\n`) ?? [];
  return text;
}

function firstCells(title: string): readonly string[] {
  return [...section(title).matchAll(/^\| ([^|]*) \|/gm)].map(([, cell = '']) => cell.trim()).slice(1);
}

describe('the page of summary blocks', () => {
  it('has every field, phase, status and exit code', () => {
    expect(firstCells('Fields')).toEqual(Object.keys(BLOCK_FIELDS).map((field) => `\`${field}\``));
    for (const word of [...PHASES, ...SUMMARY_STATUSES, ...Object.keys(FAILURE_FIELDS)]) {
      expect(section('Fields')).toContain(`\`${word}\``);
    }
    expect(firstCells('What each status does').toSorted()).toEqual(
      SUMMARY_STATUSES.map((each) => `\`${each}\``).toSorted(),
    );
    for (const code of Object.values(CI_EXIT_CODES)) expect(section('Reports and CI')).toContain(`| ${code} |`);
  });

  it('shows a block that is read strictly', () => {
    const [block] = findBlocks(PAGE).filter(({ place }) => place === 'fence');
    expect(block && readBlock(block, { strict: true })).toMatchObject({ problems: [], fields: { project: 'shop' } });
  });

  it('shows metrics that are what it says', () => {
    const kinds = section('Metrics')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.split('|').slice(1, 3));
    const words = { number: 'number', percent: 'percentage', duration: 'duration', count: 'count', flag: 'yes or no' };
    for (const [examples = '', says = ''] of kinds) {
      for (const [, text = ''] of examples.matchAll(/`([^`]+)`/g)) {
        const { kind } = measureOf(JSON.parse(text) as string);
        expect(says).toContain(kind === 'text' ? 'text' : words[kind]);
      }
    }
    expect(kinds).toHaveLength(5);
  });

  it('S8: its commands can be followed to their end', async () => {
    const [, script = ''] = /^```sh\n(.*?)^```$/ms.exec(PAGE) ?? [];
    const env = { PATH: [await folderWithBaton(), process.env['PATH'] ?? ''].join(delimiter) };
    const ended = await start('sh', ['-eu', '-c', script], { cwd: tempFolder(), env }).ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toContain('shop  unfinished');
    expect(ended.stdout).toMatch(/exit code 7\n$/);
  });

  it('S8: the pipeline is one, and calls commands that there are', () => {
    const [, text = ''] = /^```yml\n(.*?)^```$/ms.exec(PAGE) ?? [];
    const pipeline = parse(text) as { jobs: { report: { steps: readonly { run?: string }[] } } };
    const commands = pipeline.jobs.report.steps.flatMap(({ run }) => (run?.startsWith('baton ') ? [run] : []));
    expect(commands.map((command) => command.split(' ')[1])).toEqual(['init', 'ingest', 'report', 'report']);
  });
});
