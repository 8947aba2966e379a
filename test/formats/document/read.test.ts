import { describe, expect, it } from 'vitest';
import { errorsIn, isHandoffDocument, readDocument } from '../../../src/formats/document/read.ts';
import { SPEC_DOCUMENT } from './spec-document.ts';

const first = (text: string) => readDocument(text).problems[0];
const ctx = (yaml: string): string => `---\n${yaml}\n---\n`;

describe('D2: reading a document', () => {
  it('reads the example of the specification without a complaint', () => {
    const { fields, body, problems } = readDocument(SPEC_DOCUMENT);
    expect(problems).toEqual([]);
    expect(fields).toMatchObject({
      handoff_id: 'handoff-grok-claude-BPRD-2026-0042-20260221',
      status: 'Active',
      expires_at: '2026-02-21T18:35:00Z',
      purpose:
        'Transfer implementation task from planning phase to development.\nClaude has the technical skills needed.\n',
      deliverables: ['Implemented rate limiting middleware', 'Unit tests passing', 'Documentation updated'],
      acknowledged_at: null,
    });
    expect(body).toMatch(/^\n# Handoff: Implement API Rate Limiting\n/);
  });

  it('reads the same from a file of another system', () => {
    const dos = `\uFEFF${SPEC_DOCUMENT.replaceAll('\n', '\r\n')}`;
    expect(readDocument(dos).fields).toEqual(readDocument(SPEC_DOCUMENT).fields);
  });

  it.each([
    ['handoff_id', 'E_SCHEMA'],
    ['from_agent', 'E_SCHEMA'],
    ['title', 'E_SCHEMA'],
    ['verification_criteria', 'E_SCHEMA'],
  ])('says that %s is missing', (name, code) => {
    const text = SPEC_DOCUMENT.replace(new RegExp(`^${name}:.*\\n(?:  .*\\n)*`, 'm'), '');
    expect(errorsIn(readDocument(text))).toEqual([
      { code, severity: 'error', field: name, says: 'is missing', line: 1, column: 1 },
    ]);
  });

  it('warns of linkage that is not there, and takes the document', () => {
    const text = SPEC_DOCUMENT.replace(/^source_meeting:.*$/m, 'source_meeting: null').replace(/^skill_web.*\n/m, '');
    const { problems } = readDocument(text);
    expect(problems.map(({ severity, field, line }) => [severity, field, line])).toEqual([
      ['warning', 'source_meeting', 35],
      ['warning', 'skill_web_node', 1],
    ]);
  });

  it.each([
    ['status: Active', 'status: Done', 'status', 9, 9],
    ['created_at: 2026-02-21T14:30:00Z', 'created_at: 2026-02-30T14:30:00Z', 'created_at', 10, 13],
    ['created_at: 2026-02-21T14:30:00Z', 'created_at: 2026-02-21 14:30', 'created_at', 10, 13],
    ['from_agent: grok', 'from_agent: "../grok"', 'from_agent', 4, 13],
    ['  - "Unit tests passing"', '  - [a, b]', 'deliverables[1]', 26, 5],
    ['title: "Implement API Rate Limiting"', 'title:', 'title', 15, 7],
  ])('names line and column of %s → %s', (good, bad, field, line, column) => {
    expect(SPEC_DOCUMENT).toContain(good);
    const [problem] = errorsIn(readDocument(SPEC_DOCUMENT.replace(good, bad)));
    expect(problem).toMatchObject({ code: 'E_SCHEMA', field, line, column });
  });

  it('keeps texts as texts: no, 0123 and 1e3 are not a truth value and two numbers', () => {
    const { all } = readDocument(ctx('status: no\nid: 0123\nn: 1e3\nt: true\nz: ~\nq: "null"'));
    expect(all).toEqual({ status: 'no', id: '0123', n: '1e3', t: 'true', z: null, q: 'null' });
  });

  it('tells a handoff from prose that merely talks about handoffs', () => {
    expect(isHandoffDocument(readDocument(SPEC_DOCUMENT))).toBe(true);
    expect(isHandoffDocument(readDocument('# How handoffs work\n\nhandoff_id: none\n'))).toBe(false);
    expect(isHandoffDocument(readDocument(ctx('title: About handoffs\nstatus: Active')))).toBe(false);
  });
});

describe('hostile front matter', () => {
  it.each([
    ['a merge of everything', `a: &x {b: 1}\n${'<<: *x\n'.repeat(20_000)}`, 'E_ALIAS', 2],
    ['an alias', 'a: 1\nb: *x', 'E_ALIAS', 3],
    ['an anchor that holds itself', 'a: &x\n  - *x', 'E_ALIAS', 2],
    ['a prototype', 'a: 1\n__proto__: {status: Complete}', 'E_KEY', 3],
    ['a prototype further down', 'a:\n  - {__proto__: {x: 1}}', 'E_KEY', 3],
    ['a merge key without an alias', '<<: {a: b}', 'E_KEY', 2],
    ['a key twice', 'status: Active\nstatus: Complete', 'E_KEY', 3],
    ['a key that is a list', '? [a]\n: b', 'E_KEY', 2],
    ['a tag', 'a: !!js/function "process.exit()"', 'E_KEY', 2],
    ['a huge key', `${'k'.repeat(100 * 1024)}: 1`, 'E_SIZE', 2],
    ['a huge front matter', `a: ${'x'.repeat(300 * 1024)}`, 'E_SIZE', 2],
    ['brackets without end', `a: ${'['.repeat(20_000)}`, 'E_DEPTH', 2],
    ['dashes without end', `a:\n  ${'- '.repeat(20_000)}x`, 'E_DEPTH', 3],
    ['steps without end', Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}k:`).join('\n'), 'E_DEPTH', 67],
    ['a tab', 'a:\n\tb: c', 'E_SYNTAX', 3],
    ['a text that never ends', 'a: "x', 'E_SYNTAX', 3],
    ['a second document', 'a: b\n...\nc: d', 'E_SYNTAX', 3],
    ['a directive', '%YAML 1.1\na: b', 'E_SYNTAX', 2],
    ['a list', '- a\n- b', 'E_SYNTAX', 2],
    ['a map in one line', '{a: b}', 'E_SYNTAX', 2],
  ])('refuses %s', (_what, yaml, code, line) => {
    expect(first(ctx(yaml))).toMatchObject({ code, severity: 'error', line });
  });

  it('does not run what other readers run', () => {
    expect(first('---js\n{ status: process.exit(1) }\n---\n')).toMatchObject({ code: 'E_SYNTAX', line: 1 });
  });

  it.each([
    ['nothing', ''],
    ['only the beginning', '---\nstatus: Active\n'],
    ['two dashes at the end', '---\nstatus: Active\n--'],
    ['a line that goes on', '---\nstatus: Active\n---x'],
  ])('does not take a file that is still being written: %s', (_what, text) => {
    expect(first(text)).toMatchObject({ code: 'E_SYNTAX' });
  });

  it('F1: no beginning of a document is taken for a document without its front matter', () => {
    const whole = SPEC_DOCUMENT.indexOf('\n---\n') + 4;
    for (let end = 0; end < whole; end += 1)
      expect(errorsIn(readDocument(SPEC_DOCUMENT.slice(0, end)))).not.toEqual([]);
  });

  it('reports markers of a conflict instead of reading around them', () => {
    const text = SPEC_DOCUMENT.replace(
      'status: Active\n',
      '<<<<<<< HEAD\nstatus: Active\n=======\nstatus: Rejected\n>>>>>>> b\n',
    );
    expect(errorsIn(readDocument(text))).not.toEqual([]);
  });
});
