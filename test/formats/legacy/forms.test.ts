import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLegacy } from '../../../src/formats/legacy/read.ts';
import { ROLES, type LegacyReading } from '../../../src/formats/legacy/legacy-reading.ts';
import { ROOT } from '../../support/source-files.ts';

const FOLDER = join(ROOT, 'test/fixtures/legacy');
const EXPECTED = JSON.parse(readFileSync(join(FOLDER, 'expected.json'), 'utf8')) as Record<
  string,
  Record<string, string | null>
>;
const textOf = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

describe('D14: forms in which strangers write handoffs', () => {
  it('are all described', () => {
    expect(
      readdirSync(FOLDER)
        .filter((name) => name !== 'expected.json')
        .toSorted(),
    ).toEqual(Object.keys(EXPECTED).toSorted());
  });

  it.each(Object.keys(EXPECTED))('%s is read', (name) => {
    expect(said(readLegacy(textOf(name), name), EXPECTED[name] ?? {})).toEqual(EXPECTED[name]);
  });

  it.each(Object.keys(EXPECTED))('%s says the same with other line ends and a mark at its start', (name) => {
    const text = textOf(name);
    for (const other of [text.replaceAll('\n', '\r\n'), `\uFEFF${text}`, text.replaceAll('\n', ' \t\n')]) {
      const reading = readLegacy(other, name);
      expect(said(reading, EXPECTED[name] ?? {})).toEqual(EXPECTED[name]);
      expect(reading.text).toBe(other);
    }
  });

  it.each(Object.keys(EXPECTED))('%s: every finding names the line on which it stands', (name) => {
    const reading = readLegacy(textOf(name), name);
    const lines = textOf(name).split('\n');
    for (const role of ROLES) {
      const found = reading[role];
      if (found === null || found.line === 0) continue;
      const isThere = [found.text.split('\n')[0]?.slice(0, 20) ?? '', found.key].some((each) =>
        lines[found.line - 1]?.includes(each),
      );
      expect(isThere ? null : `${role} is not on line ${found.line}`).toBeNull();
    }
  });

  it.each([
    ['x.md', 'FROM: ann\nTO: bob\nSTATUS: open\n'],
    ['x.txt', 'From : ann\nTo   : bob\nStatus   : open\n'],
    ['x.md', '\tFrom:\tann\n\tTo:\tbob\n\tStatus:\topen\n'],
    ['x.md', '# H\n**From → To:** ann → bob\n**State:** open\n'],
    ['x.md', '# H\n**Route:** ann → bob\n**State:** open\n'],
    ['x.md', '*From*: ann\n*To*: bob\n`Status`: open\n'],
    ['x.md', '- **From**: ann\n* __To__: bob\n+ Status: open\n'],
    ['x.md', '<b>From:</b> ann<br>\n<strong>To</strong>: bob<br>\nStatus: open\n'],
    ['x.md', '📤 From: ann\n👤 **To:** bob\n🚦 **Status:** 📬 open\n'],
    ['x.md', '**From:** ann, **To:** bob | **Status:** open\n'],
    ['x.md', '**From:**\nann\n\n**To:**\nbob\n\n**Status:**\nopen\n'],
    ['x.md', '| From | To | Status |\n|---|---|---|\n| ann | bob | open |\n'],
    ['x.md', '> From: ann\n> To: bob\n> Status: open\n'],
    ['x.md', '<!-- handoff\nfrom: ann\nto: bob\nstatus: open\n-->\n# T\n'],
    ['x.md', '---\nagents:\n  from: ann\n  to: bob\nstatus: open\n---\n'],
    ['x.md', 'De: ann\nPara: bob\nEstado: abierto\n'],
    ['x.md', 'Von: ann\nAn: bob\nStatus: offen\n'],
    ['x.md', 'From: Ann <ann@example.org>\nTo: "Bob" <bob@example.org>\nStatus: open\n'],
    ['x.yaml', 'handoff: {from: ann, to: [bob, cid], status: open}\n'],
    ['x.json', '{"handoff":{"source":{"agent":"ann"},"target":{"agent":"bob"},"status":{"state":"open"}}}'],
    ['x.json', '[{"fromAgent":"ann","toAgent":"bob","state":"OPEN"},{"fromAgent":"x","toAgent":"y"}]'],
    ['x.md', '# Handoff from Ann to Bob: fix it\n\nStatus: open\n'],
  ])('%s: %j says who, to whom and that it is open', (name, text) => {
    const { sender, recipient, state } = readLegacy(text, name);
    expect({ sender, recipient, state }).toEqual({ sender: 'ann', recipient: 'bob', state: 'offered' });
  });

  it('keep what has no home', () => {
    const pairs = (name: string): readonly string[] =>
      readLegacy(textOf(name), name).fields.map(({ path, text }) => `${path}=${text}`);
    expect(pairs('bold.md')).toContain('Priority=High');
    expect(pairs('front-matter.md')).toEqual(
      expect.arrayContaining(['type=delivery', 're=DELIVERY — seed list: done, see #12']),
    );
    expect(pairs('nested.md')).toEqual(expect.arrayContaining(['handback.status=rejected', 'handback.cost_usd=0.42']));
    expect(pairs('block.yaml')).toEqual(
      expect.arrayContaining(['handoff.inputs[0].count=0042', 'handoff.to[1]=gardener']),
    );
    expect(pairs('agents.json')).toEqual(expect.arrayContaining(['depends_on[1]=ho-5511', 'schema_version=2']));
    expect(pairs('front-matter-broken.md')).toEqual(
      expect.arrayContaining(['note=unquoted: colons: everywhere', 'deliverables[1]=two rows']),
    );
    expect(pairs('two-documents.yaml')).toContain('[1].status=COMPLETE');
  });

  it('say how sure they are', () => {
    expect(readLegacy('**Owner:** basil', 'x.md').to?.sure).toBe('likely');
    expect(readLegacy('**Recipient:** basil', 'x.md').to?.sure).toBe('certain');
    const named = readLegacy('Some words.', 'T-9__ivy__to__basil.md');
    expect([named.from?.text, named.from?.sure, named.from?.line]).toEqual(['ivy', 'guess', 0]);
  });

  it('say where YAML broke, and are read nevertheless', () => {
    expect(readLegacy(textOf('front-matter-broken.md'), 'x.md').problems).toEqual([
      { line: 6, says: expect.stringContaining('not YAML') as string },
    ]);
  });
});

function said(reading: LegacyReading, wanted: Record<string, unknown>): Record<string, unknown> {
  const roles = Object.fromEntries(ROLES.map((role) => [role, reading[role]?.text ?? null]));
  const { handoff, form, sender, recipient, state, createdAt } = reading;
  const instant = createdAt === null ? null : new Date(createdAt).toISOString();
  const all: Record<string, unknown> = { ...roles, handoff, form, sender, recipient, state, createdAt: instant };
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, all[key]]));
}
