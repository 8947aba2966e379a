import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesUnder, ROOT } from '../support/source-files.ts';
import { type Citation, citationsIn, idsIn } from './citations.ts';
import { notYet, partly, REQUIREMENTS } from './requirements.ts';

const GROUPS = {
  Q: 'queue',
  D: 'documents',
  S: 'summary blocks',
  V: 'shadows',
  X: 'succession',
  I: 'invariants',
  F: 'foreign files',
} as const;

describe('the requirements', () => {
  const reasons: Readonly<Record<string, string>> = notYet;
  const known: ReadonlySet<string> = new Set(REQUIREMENTS.map((each) => each.id));
  const files = filesUnder('test', '.ts').filter((file) => !file.startsWith('test/requirements/'));
  const citations = files.flatMap((file) => citationsIn(file, readFileSync(join(ROOT, file), 'utf8')));
  const cited: ReadonlySet<string> = new Set(citations.map((each) => each.id));

  it('are all there, each once and in words', () => {
    const counts = Object.keys(GROUPS).map((group) => REQUIREMENTS.filter((each) => each.id.startsWith(group)).length);
    expect(counts).toEqual([17, 17, 9, 9, 12, 21, 10]);
    expect(known.size).toBe(REQUIREMENTS.length);
    expect(REQUIREMENTS.filter((each) => each.says.trim() === '')).toEqual([]);
  });

  it('are each cited by the title of a test, or say why not yet', () => {
    const silent = REQUIREMENTS.filter((each) => !cited.has(each.id) && !reasons[each.id]?.trim());
    expect(silent.map((each) => `${each.id} has no test that cites it: ${each.says}`)).toEqual([]);
    console.log(tableOf(cited));
  });

  it('exist wherever a test cites them', () => {
    expect(citations.filter((each) => !known.has(each.id)).map(placeOf)).toEqual([]);
  });

  it('are partly done only where a test shows the part', () => {
    const unshown = Object.keys(partly).filter((id) => !cited.has(id));
    expect(unshown).toEqual([]);
  });

  it('no longer say "not yet" once a test cites them', () => {
    expect(citations.filter((each) => each.id in reasons).map(placeOf)).toEqual([]);
  });
});

describe('the reader of citations', () => {
  it('reads titles of every form', () => {
    const text = [
      "describe('Q1 layout', () => {",
      '  it(',
      "    'Q2, I8: takes a whole request', () => {});",
      '  it.each([1])(`moves ${n} files (Q4)`, () => {});',
      "  test.skipIf(none)('Q5/Q6 ' + name, () => {});",
      '  it(`${store}: survives [I3 and I4]`, () => {});',
      '});',
    ].join('\n');
    const found = citationsIn('a.test.ts', text).map((each) => `${each.line} ${each.id}`);
    expect(found).toEqual(['1 Q1', '2 Q2', '2 I8', '4 Q4', '5 Q5', '5 Q6', '6 I3', '6 I4']);
  });

  it('takes nothing from tests that never run, from other calls or from comments', () => {
    const text = "it.skip('Q1 a');\ndescribe.todo('Q2 b');\nsend('Q3 c');\n// it('Q4 d')\nconst e = 'Q5 e';";
    expect(citationsIn('a.test.ts', text)).toEqual([]);
  });

  it('takes an id only where it leads or stands in brackets', () => {
    expect(idsIn('finds V1 handoffs anywhere')).toEqual([]);
    expect(idsIn('V1-style headers are read')).toEqual([]);
    expect(idsIn('Q18: does not exist')).toEqual(['Q18']);
  });
});

function placeOf(citation: Citation): string {
  return `${citation.file}:${citation.line} cites ${citation.id}`;
}

function tableOf(cited: ReadonlySet<string>): string {
  const rows = Object.entries(GROUPS).map(([letter, name]) => {
    const all = REQUIREMENTS.filter((each) => each.id.startsWith(letter));
    const shown = all.filter((each) => cited.has(each.id));
    const inPart = shown.filter((each) => each.id in partly).length;
    const counts = `${String(shown.length).padStart(3)} of ${String(all.length).padStart(2)} tested`;
    return `  ${letter}  ${name.padEnd(14)} ${counts}${inPart === 0 ? '' : `, ${inPart} of them in part`}`;
  });
  const shown = REQUIREMENTS.filter((each) => cited.has(each.id)).length;
  return [
    'requirements',
    ...rows,
    `     ${'all'.padEnd(14)} ${String(shown).padStart(3)} of ${REQUIREMENTS.length} tested`,
  ].join('\n');
}
