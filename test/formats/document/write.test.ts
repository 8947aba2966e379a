import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDocument } from '../../../src/formats/document/edit.ts';
import { documentId, idInFileName, matchesName } from '../../../src/formats/document/names.ts';
import { errorsIn, readDocument } from '../../../src/formats/document/read.ts';
import type { NewDocument } from '../../../src/formats/document/schema.ts';
import { STATE_FOR, STATUS_FOR, STATUSES } from '../../../src/formats/document/vocabulary.ts';
import { writeDocument } from '../../../src/formats/document/write.ts';
import type { YamlValue } from '../../../src/formats/document/yaml-text.ts';
import { STATES } from '../../../src/domain/lifecycle.ts';
import { SPEC_DOCUMENT } from './spec-document.ts';
import { campaignSize } from '../../support/campaign-sizes.ts';

const NEW: NewDocument = {
  handoff_id: 'handoff-grok-claude-BPRD-2026-0042-20260221',
  from_agent: 'grok',
  to_agent: 'claude',
  related_task: 'BPRD-2026-0042',
  status: 'Created',
  created_at: '2026-02-21T14:30:00Z',
  updated_at: '2026-02-21T14:30:00Z',
  expires_at: '2026-02-21T15:30:00Z',
  title: 'Implement: "API" # Rate\nLimiting',
  purpose: 'one\n  two\n\nthree\n',
  context: 'no',
  deliverables: ['- a dash', 'yes', '1e3', 'a: b'],
  verification_criteria: [],
  source_meeting: null,
  skill_web_node: 'skills/api',
};

/** The lines that are not in both, as a person would see them. */
function changedLines(before: string, after: string): readonly string[] {
  const old = before.split('\n');
  const now = after.split('\n');
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `-${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+${line}`),
  ];
}

describe('D2: writing a document', () => {
  it('is read back as it was meant, with its body made from the fields', () => {
    const text = writeDocument(NEW);
    const { fields, body, problems } = readDocument(text);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(fields).toMatchObject(NEW);
    expect(body).toContain('# Handoff: Implement: "API" # Rate Limiting\n');
    expect(body).toContain('### Deliverables\n- - a dash\n- yes\n- 1e3\n- a: b\n');
    expect(body).toContain('- Expires if not acknowledged: 2026-02-21T15:30:00Z\n');
    expect(body).toContain('- Task: [BPRD-2026-0042](/tasks/BPRD-2026-0042.md)\n');
  });

  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom('\n', ' ', '-', '#', ':', '"', "'", 'a', '|', '\t', '\r', '\u0085', '…'),
      maxLength: 20,
    }),
    fc.constantFrom(
      'null',
      '~',
      'no',
      '0123',
      '---',
      '...',
      '<<',
      '*a',
      '&a',
      '!x',
      '%d',
      '@x',
      '`',
      '2026-02-21T14:30:00Z',
      '',
    ),
  );
  const words = texts.filter((text) => !text.includes('\u0000') && !/\p{Surrogate}/u.test(text));
  const said = fc.letrec<{ one: YamlValue }>((tie) => ({
    one: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      words,
      fc.constant(null),
      fc.array(tie('one'), { maxLength: 4 }),
      fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), tie('one'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).one;

  it('D2: whatever value is put in comes out again, and every other byte stays', () => {
    fc.assert(
      fc.property(
        said,
        fc.constantFrom('title', 'purpose', 'deliverables', 'acknowledged_at', 'own', 'status'),
        (value, key) => {
          const edited = editDocument(SPEC_DOCUMENT, { [key]: value });
          expect(readDocument(edited).all).toEqual({ ...readDocument(SPEC_DOCUMENT).all, [key]: value });
          const back = editDocument(edited, { [key]: readDocument(SPEC_DOCUMENT).all[key] });
          expect(readDocument(back).all[key]).toEqual(readDocument(key === 'own' ? edited : SPEC_DOCUMENT).all[key]);
          // The heading is the title, and follows it.
          const bodyOf = (text: string): string => text.slice(text.indexOf('\n---\n')).replace(/^# Handoff: .*$/m, '');
          expect(bodyOf(edited)).toBe(bodyOf(SPEC_DOCUMENT));
        },
      ),
      { numRuns: campaignSize('BATON_DOCUMENT_EDITS') },
    );
  });

  it('changes the lines that are meant, and no other', () => {
    const acknowledged = editDocument(SPEC_DOCUMENT, {
      status: 'Acknowledged',
      acknowledged_at: '2026-02-21T15:00:00Z',
      acknowledged_by: 'claude',
      acknowledgment_notes: 'Accepted. Will start after current task.',
    });
    expect(changedLines(SPEC_DOCUMENT, acknowledged)).toEqual([
      '-status: Active',
      '-acknowledged_at: null',
      '-acknowledged_by: null',
      '-acknowledgment_notes: null',
      '+status: Acknowledged',
      '+acknowledged_at: 2026-02-21T15:00:00Z',
      '+acknowledged_by: claude',
      '+acknowledgment_notes: "Accepted. Will start after current task."',
    ]);
    expect(editDocument(acknowledged, { status: 'Acknowledged' })).toBe(acknowledged);
  });

  it('puts a new field where the specification has it', () => {
    const edited = editDocument(SPEC_DOCUMENT, {
      deliverable_status: [{ deliverable: 'x', status: 'claimed', evidence: ['file:a', 'note:b'] }],
      zz_own: 'last',
    });
    expect(edited).toContain(
      'acknowledgment_notes: null\ndeliverable_status:\n  - deliverable: x\n    status: claimed\n    evidence:\n      - "file:a"\n      - "note:b"\n\n# COMPLETION',
    );
    expect(edited).toContain('completion_notes: null\nzz_own: last\n---\n');
  });

  it('keeps comments, order, spacing, line ends and own sections of a person', () => {
    const own = [
      '\uFEFF---',
      'zebra:   { a: [1,2] }   # mine',
      "status:   'Active'  # who changed this?",
      '# about the agents',
      'from_agent: grok',
      'notes:    # why',
      '  - one   # 1',
      '',
      'octal: 0777',
      'empty:   # nothing yet',
      '---',
      '# My own',
      '- Expires if not acknowledged: never mind',
      '',
    ].join('\r\n');
    const edited = editDocument(own, { status: 'Complete', empty: 'full', notes: 'few' });
    expect(edited).toBe(
      own
        .replace("'Active'", 'Complete')
        .replace('empty:   # nothing yet', 'empty: full   # nothing yet')
        .replace('notes:    # why\r\n  - one   # 1', 'notes: few # why'),
    );
    const longer = editDocument(edited, { notes: ['a', 'b'] });
    expect(longer).toContain('notes: # why\r\n  - a\r\n  - b\r\n\r\noctal: 0777\r\n');
  });

  it('moves the timeline of the body along for as long as it is ours', () => {
    const text = writeDocument(NEW);
    const edited = editDocument(text, { expires_at: '2026-02-21T19:30:00Z' });
    expect(edited).toContain('- Expires if not acknowledged: 2026-02-21T19:30:00Z\n');
    const rewritten = text.replace('- Expires if not acknowledged: 2026', '- Expires if not acknowledged: early 2026');
    expect(editDocument(rewritten, { expires_at: null })).toContain('- Expires if not acknowledged: early 2026');
  });
});

describe('D1, D3: names and words', () => {
  const at = Date.parse('2026-02-21T23:59:59Z');

  it('D1: names a file after sender, recipient, task and day', () => {
    const parts = { from: 'grok', to: 'claude', task: 'BPRD-2026-0042', createdAt: at };
    expect(documentId(parts)).toBe('handoff-grok-claude-BPRD-2026-0042-20260221');
    expect(documentId(parts, 2)).toBe('handoff-grok-claude-BPRD-2026-0042-20260221-2');
    expect(matchesName(documentId(parts, 12), parts)).toBe(true);
    expect(matchesName(`${documentId(parts)}-copy`, parts)).toBe(false);
    expect(idInFileName('handoff-grok-claude-BPRD-2026-0042-20260221.md')).toBe(documentId(parts));
    for (const bad of [
      'handoff-a-b-20260221_063331.md',
      'handoff-a-b-T-20260221-copy.md',
      'handoff-a-b-T-20260221 (2).md',
      'x.md',
    ]) {
      expect(idInFileName(bad)).toBeNull();
    }
  });

  it('D1: makes a name of whatever stands in it', () => {
    fc.assert(
      fc.property(fc.option(fc.string({ maxLength: 200 })), fc.integer({ min: 1, max: 999 }), (task, nth) => {
        const agent = 'a'.repeat(64);
        expect(idInFileName(`${documentId({ from: agent, to: agent, task, createdAt: at }, nth)}.md`)).not.toBeNull();
      }),
    );
  });

  it('D3: says every state, and reads every word', () => {
    expect(new Set(STATES.map((state) => STATUS_FOR[state]))).toEqual(new Set(STATUSES));
    for (const status of STATUSES) expect(STATUS_FOR[STATE_FOR[status]]).toBe(status);
    expect(errorsIn(readDocument(SPEC_DOCUMENT.replace('status: Active', 'status: ACTIVE')))).toEqual([]);
  });
});
