/** Runs where `BATON_WILD` names a folder of strangers' files with an EXPECTED.jsonl; they are not ours to copy. */
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { instantOf } from '../../../src/formats/legacy/dates.ts';
import { readName } from '../../../src/formats/legacy/file-name.ts';
import { classify } from '../../../src/engine/migration/classify.ts';
import { readLegacy } from '../../../src/formats/legacy/read.ts';
import type { Field } from '../../../src/formats/legacy/legacy-reading.ts';
import { expectationsOf, wildFiles } from '../../support/wild-files.ts';

const FILES = wildFiles();
const ROLES = ['id', 'from', 'to', 'status', 'created'] as const;
const SHARE_MIN = 0.95;

describe.skipIf(FILES.length === 0)('files of strangers (D14), where BATON_WILD says where they are', () => {
  it('are all read, and what is expected of them is found', () => {
    const missed: string[] = [];
    let met = 0;
    for (const expected of expectationsOf()) {
      const file = FILES.find(({ path }) => path === expected.file);
      expect(file?.path).toBe(expected.file);
      const reading = readLegacy(file?.text ?? '', file?.name);
      for (const role of ROLES) {
        const want = expected[`expect_${role}`];
        if (want === null || want === undefined) continue;
        const got = reading[role]?.text ?? null;
        const isMet = got === String(want) || (role === 'created' && sameInstant(got, String(want)));
        if (isMet) met += 1;
        else missed.push(`${expected.file}: ${role} is ${JSON.stringify(got)}, expected ${JSON.stringify(want)}`);
      }
    }
    console.log(`${met} of ${met + missed.length} expectations met${missed.map((each) => `\n  ${each}`).join('')}`);
    expect(met / (met + missed.length)).toBeGreaterThanOrEqual(SHARE_MIN);
  });

  it('are each a candidate for migration or listed with a reason, but for tasks and examples', () => {
    const terms = { below: '', hasFrom: false, hasTo: false };
    const dropped = FILES.filter(
      ({ name, text }) => classify(name, readLegacy(text, name), readName(name), terms).is === 'other',
    );
    expect(dropped.map(({ name }) => name).filter((name) => !/^(?:tasks|tests|templates)\//.test(name))).toEqual([]);
  });

  it.each(FILES.map(({ path }) => path))('%s loses no field', (path) => {
    const file = FILES.find((each) => each.path === path);
    const text = file?.text ?? '';
    const reading = readLegacy(text, file?.name);
    expect(reading.text).toBe(text);
    expect(lost(text, file?.name ?? '', reading.fields)).toEqual([]);
  });
});

function sameInstant(got: string | null, want: string): boolean {
  return got !== null && instantOf(got) !== null && instantOf(got) === instantOf(want);
}

/** A second, simpler reader: whatever it sees, the first one must have seen. */
function lost(text: string, name: string, fields: readonly Field[]): readonly string[] {
  const known = new Set(fields.map(({ key, text: said }) => `${key}=${squeezed(said)}`));
  const keys = new Set(fields.map(({ key }) => key));
  if (name.endsWith('.json')) return leaves('', JSON.parse(text)).filter((leaf) => !known.has(leaf));
  const front = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/.exec(text);
  const yaml = /\.ya?ml$/.test(name) ? text : (front?.[1] ?? '');
  const documents = parseAllDocuments(yaml, { schema: 'failsafe' });
  const sound = Array.isArray(documents) && documents.every(({ errors }) => errors.length === 0);
  const values = sound ? documents.flatMap((each) => leaves('', each.toJS({ maxAliasCount: 100 }))) : [];
  const bare = withoutCode(/\.ya?ml$/.test(name) ? '' : text);
  const bold = [...bare.matchAll(/^[ \t]*(?:[-*] )?\*\*([A-Za-z][A-Za-z _-]{0,40}):\*\*[ \t]+(\S.*)$/gm)];
  const lines = [...bare.matchAll(/^(?:- )?([A-Za-z][A-Za-z_-]{0,30}(?: [A-Za-z_-]{1,20})?): (\S.*)$/gm)];
  const marked = [...bold, ...lines].filter(([line]) => !line.includes('|')).map((each) => each[1] ?? '');
  return [...values.filter((leaf) => !known.has(leaf)), ...marked.filter((key) => !keys.has(key))];
}

function leaves(key: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => leaves(key, each));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, each]) => leaves(name, each));
  }
  return [`${key}=${squeezed(String(value))}`];
}

function withoutCode(text: string): string {
  const after = text.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '');
  return after.replaceAll('\r\n', '\n').replace(/^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?\n[ \t]*\1[ \t]*$/gm, '');
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, '');
}
