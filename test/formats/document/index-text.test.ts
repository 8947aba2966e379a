import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { skimDocument, writeIndex, type IndexEntry } from '../../../src/formats/document/index-text.ts';
import { readEvidence, writeEvidence } from '../../../src/formats/document/evidence-text.ts';
import { readDocument } from '../../../src/formats/document/read.ts';
import { SPEC_DOCUMENT } from './spec-document.ts';

describe('D12: the index', () => {
  const one = skimDocument(SPEC_DOCUMENT) as IndexEntry;
  const two: IndexEntry = {
    ...one,
    id: 'handoff-claude-no-T-20260220',
    from: 'claude',
    to: 'no',
    createdAt: '2026-02-20T16:00:00Z',
  };

  it('is read by others as it is meant, and has the form of the specification', () => {
    const recent = [{ id: 'handoff-grok-claude-T-20260219', completedAt: '2026-02-20T18:00:00Z' }];
    expect(parse(writeIndex([two, one], recent), { schema: 'core' })).toEqual({
      last_updated: '2026-02-21T14:35:00Z',
      active_handoffs: [
        {
          id: one.id,
          from: 'grok',
          to: 'claude',
          task: 'BPRD-2026-0042',
          status: 'Active',
          created: '2026-02-21T14:30:00Z',
        },
        {
          id: two.id,
          from: 'claude',
          to: 'no',
          task: 'BPRD-2026-0042',
          status: 'Active',
          created: '2026-02-20T16:00:00Z',
        },
      ],
      counts_by_agent: {
        claude: { outgoing: 1, incoming: 1 },
        grok: { outgoing: 1, incoming: 0 },
        no: { outgoing: 0, incoming: 1 },
      },
      recently_completed: [{ id: 'handoff-grok-claude-T-20260219', completed_at: '2026-02-20T18:00:00Z' }],
    });
  });

  it('is the same text in whatever order the documents are found', () => {
    expect(writeIndex([one, two], [])).toBe(writeIndex([two, one], []));
    expect(parse(writeIndex([], []))).toEqual({
      last_updated: null,
      active_handoffs: [],
      counts_by_agent: {},
      recently_completed: [],
    });
  });

  it('skims what the full reading reads', () => {
    const { fields } = readDocument(SPEC_DOCUMENT);
    expect(one).toMatchObject({ id: fields.handoff_id, from: fields.from_agent, status: 'Active', completedAt: null });
    const quoted = SPEC_DOCUMENT.replace('from_agent: grok', "from_agent: 'grok'   # who").replaceAll('\n', '\r\n');
    expect(skimDocument(quoted)).toEqual(one);
    expect(skimDocument('# prose')).toBeNull();
  });
});

describe('D7: evidence in a document', () => {
  it.each([
    { kind: 'file', path: 'src/a b#c.ts', sha256: 'a'.repeat(64) },
    { kind: 'commit', commit: 'b'.repeat(40) },
    { kind: 'command', command: 'npm test # all', exitCode: 0, outputSha256: 'c'.repeat(64) },
    { kind: 'url', url: 'https://example.org/x' },
    { kind: 'note', text: 'seen: it works' },
  ] as const)('is read back as it was seen: $kind', (evidence) => {
    expect(readEvidence(writeEvidence(evidence)).seen).toEqual(evidence);
  });

  it('is a note where a person names no kind, and not yet seen where no machine has looked', () => {
    expect(readEvidence('PR #123 merged')).toEqual({
      kind: 'note',
      value: 'PR #123 merged',
      seen: { kind: 'note', text: 'PR #123 merged' },
    });
    expect(readEvidence('file: src/a.ts')).toEqual({ kind: 'file', value: 'src/a.ts', seen: null });
  });
});
