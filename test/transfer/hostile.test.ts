import { beforeAll, describe, expect, it } from 'vitest';
import { hexDigestOf } from '../../src/foundation/digest.ts';
import { appendFact } from '../../src/domain/facts.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import { importAll } from '../../src/engine/transfer/import.ts';
import { footerLine, headerLine, LINE_BYTES_MAX, totalOf, writeLine } from '../../src/engine/transfer/write-line.ts';
import type { Copy, Store } from '../../src/stores/store.ts';
import { idOf, jsonOf, LONG_AGO, openingOf } from '../contract/builders.ts';
import { valueOf } from '../contract/store-checks.ts';
import { exported, fill, imported, memoryStore } from './sample.ts';

type Parsed = Record<string, Record<string, unknown>>;

let lines: readonly string[] = [];

beforeAll(async () => {
  const store = memoryStore();
  await fill(store, 10);
  lines = (await exported(store)).text.trimEnd().split('\n');
});

/** The seventh line, changed and with the checksum that fits. */
function forged(change: (line: Parsed) => unknown): string {
  const line = JSON.parse(lines[6]!) as Parsed;
  delete line['sha256'];
  change(line);
  const text = JSON.stringify(line);
  return `${text.slice(0, -1)},"sha256":"${hexDigestOf(text)}"}`;
}

function withSeventh(line: string): string {
  return [...lines.slice(0, 6), line, ...lines.slice(7)].join('\n');
}

async function idsIn(store: Store): Promise<readonly string[]> {
  return (await store.transfer.copies(null, 100)).items.map(({ handoff }) => handoff.id);
}

const ALL_BUT_IT = ['r0', 'r1', 'r2', 'r3', 'r4', 'r6', 'r7', 'r8', 'r9'];

describe('an import with one bad line', () => {
  it.each([
    ['is not JSON', () => lines[6]!.replace(':', '@'), /not JSON: /],
    ['is empty', () => '', 'not JSON: the text ends where a value should stand'],
    ['is a number', () => '42', 'the checksum of the line is missing'],
    ['is null', () => 'null', 'the checksum of the line is missing'],
    ['has a changed byte', () => lines[6]!.replace('"id":"r5"', '"id":"rX"'), 'the line was changed'],
    ['has a changed checksum', () => lines[6]!.replace(/.{3}"\}$/, '000"}'), 'the line was changed'],
    ['has no checksum', () => lines[6]!.replace(/,"sha256":"[0-9a-f]+"\}$/, '}'), 'checksum of the line is missing'],
    ['has a field that nobody knows', () => forged((line) => (line['handoff']!['colour'] = 1)), /handoff: .*colour/],
    ['has a part that nobody knows', () => forged((line) => (line['extra'] = {})), /extra/],
    ['lacks a field', () => forged((line) => delete line['handoff']!['title']), 'handoff.title'],
    ['has another state', () => forged((line) => (line['handoff']!['state'] = 'gone')), 'handoff.state'],
    ['has an id that is a path', () => forged((line) => (line['handoff']!['id'] = '../x')), 'not the id of a handoff'],
    ['has an agent with capitals', () => forged((line) => (line['handoff']!['to'] = 'React')), 'not the name of an'],
    ['has an instant that is no date', () => forged((line) => (line['handoff']!['since'] = 1e16)), 'handoff.since'],
    ['has a count beyond all counting', () => forged((line) => (line['handoff']!['fence'] = 2 ** 31)), 'handoff.fence'],
    ['has U+0000 in a text', () => forged((line) => (line['handoff']!['title'] = 'a\0b')), 'U+0000'],
    ['has half a character', () => forged((line) => (line['handoff']!['title'] = '\ud800')), 'surrogate'],
    ['has no body', () => forged((line) => delete line['body']), 'body'],
    ['has a body without input', () => forged((line) => (line['body'] = {})), 'body.input'],
    ['has an outcome of another kind', () => forged((line) => (line['outcome'] = { kind: 'x' })), 'outcome.kind'],
    [
      'has a record without facts',
      () => forged((line) => (line['facts'] = [] as never)),
      'r5 is not valid: it has no facts',
    ],
    [
      'has keys in another order',
      () => forged((line) => (line['handoff'] = turned(line['handoff']!))),
      'not in the form',
    ],
    ['has spaces', () => respaced(), 'not in the form in which'],
    ['has a key twice', () => doubled(), /twice|not in the form/],
    ['reaches for prototypes', () => forged((line) => (line['body'] = polluted())), 'body: the key "__proto__"'],
    ['is as deep as the sea', () => forged((line) => (line['body']!['input'] = deep(70))), 'body: nested deeper'],
  ])('that %s: line and reason are told, and all others are imported', async (_, bad, says) => {
    const store = memoryStore();
    const answer = await imported(store, withSeventh(bad()));
    expect(answer).toMatchObject({
      ok: false,
      refusal: { code: 'bad-line', line: 7, refused: 1, others: [], soFar: { added: 9 } },
    });
    const told = answer.ok || answer.refusal.code !== 'bad-line' ? '' : answer.refusal.says;
    expect(told).toMatch(says instanceof RegExp ? says : new RegExp(escaped(says)));
    expect(await idsIn(store)).toEqual(ALL_BUT_IT);
    expect(await imported(store, lines.join('\n'))).toMatchObject({ ok: true, value: { added: 1, same: 9 } });
  });

  it('in the column where it is not JSON', async () => {
    const answer = await imported(memoryStore(), withSeventh(`${lines[6]!.slice(0, 11)}x${lines[6]!.slice(11)}`));
    expect(answer).toMatchObject({ refusal: { line: 7, column: 12 } });
  });

  it('that is not UTF-8', async () => {
    const bytes = Buffer.from(lines.join('\n'));
    bytes[bytes.indexOf('"id":"r5"') + 6] = 0xff;
    expect(await imported(memoryStore(), bytes)).toMatchObject({ refusal: { line: 7, says: 'not UTF-8 text' } });
  });

  it('of a record that no move leads to, with a trail that adds up', async () => {
    const opened = valueOf(openingOf({ id: 'x' }).decide(LONG_AGO, new Map())).handoff;
    const forgeries: readonly Partial<Handoff>[] = [
      { state: 'completed' },
      { state: 'accepted', custody: { by: 'hand', holder: opened.to, untilAt: null } },
      { blockedOn: { reason: 'place' } },
      { excused: 3 },
    ];
    for (const parts of forgeries) {
      const { handoff, fact } = appendFact(null, { ...opened, ...parts }, 'create', '@sender', LONG_AGO);
      const copy: Copy = { handoff, body: jsonOf({ input: 1 }), outcome: null, facts: [fact] };
      const store = memoryStore();
      expect(await imported(store, fileOf([copy]))).toMatchObject({ refusal: { line: 2, says: /x cannot be/ } });
      expect(await idsIn(store)).toEqual([]);
    }
  });

  it('that would close a ring: all others are imported', async () => {
    const waiting = (id: string, dependsOn: readonly string[]): Copy => {
      const { handoff, facts } = valueOf(openingOf({ id, dependsOn }).decide(LONG_AGO, new Map([[idOf('n'), null]])));
      return { handoff, facts, body: jsonOf({ input: 1 }), outcome: null };
    };
    const store = memoryStore();
    const answer = await imported(store, fileOf([waiting('a', []), waiting('b', ['c']), waiting('c', ['b'])]));
    expect(answer).toMatchObject({ refusal: { line: 3, says: /b → c → b/, soFar: { added: 2 } } });
    expect(await idsIn(store)).toEqual(['a', 'c']);
  });
});

describe('a file that is not whole', () => {
  it.each([
    ['empty', () => '', 1, 'the file is empty'],
    ['another file', () => '{"name":"x"}\n', 1, 'not an export of Baton'],
    ['of a later version', () => lines[0]!.replace('"version":1', '"version":2'), 1, 'install a newer Baton'],
    ['cut in the middle of a line', () => lines.join('\n').slice(0, -300), 11, 'truncated within this line'],
    ['cut after a line', () => `${lines.slice(0, -1).join('\n')}\n`, 11, 'its last line is missing'],
    ['without one of its lines', () => lines.toSpliced(4, 1).join('\n'), 11, 'had 10 handoffs, this file has 9'],
    ['with a line twice', () => lines.toSpliced(4, 0, lines[4]!).join('\n'), 13, 'had 10 handoffs, this file has 11'],
    ['with one line in place of another', () => lines.with(4, lines[5]!).join('\n'), 12, 'the whole export'],
    ['longer than its end', () => `${lines.join('\n')}\n${lines[3]!}`, 13, 'text after the last line'],
  ])('%s', async (_, text, line, says) => {
    const answer = await imported(memoryStore(), text());
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'bad-line', line } });
    expect(answer.ok || answer.refusal.code !== 'bad-line' ? '' : answer.refusal.says).toContain(says);
  });

  it('with line ends of Windows, a mark at the beginning and empty lines at the end is whole all the same', async () => {
    const text = `\uFEFF${lines.join('\r\n')}\r\n\r\n`;
    expect(await imported(memoryStore(), text)).toMatchObject({ ok: true, value: { added: 10 } });
  });

  it('a line without an end is given up early, and not kept', async () => {
    let given = 0;
    const endless = async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${lines[0]!}\n`);
      for (const chunk = Buffer.alloc(1024 * 1024, 'x'); ; given += 1) yield chunk;
    };
    const answer = await importAll(memoryStore(), endless());
    expect(answer).toMatchObject({ refusal: { code: 'bad-line', line: 2, says: /longer than 64 MiB/ } });
    expect(given).toBeLessThanOrEqual(LINE_BYTES_MAX / 1024 / 1024 + 1);
  });
});

function fileOf(copies: readonly Copy[]): string {
  const total = totalOf();
  const written = copies.map(writeLine);
  for (const { sha256 } of written) total.add(sha256);
  return [
    headerLine(0),
    ...written.map(({ text }) => text),
    footerLine({ count: copies.length, schedules: 0, sha256: total.hex() }),
  ].join('\n');
}

function turned(parts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parts).toReversed());
}

function respaced(): string {
  const text = `${JSON.stringify(withoutChecksum()).slice(0, -1)} }`;
  return `${text.slice(0, -1)},"sha256":"${hexDigestOf(text)}"}`;
}

function doubled(): string {
  const text = JSON.stringify(withoutChecksum()).replace('"title":', '"title":"first","title":');
  return `${text.slice(0, -1)},"sha256":"${hexDigestOf(text)}"}`;
}

function withoutChecksum(): unknown {
  const line = JSON.parse(lines[6]!) as Parsed;
  delete line['sha256'];
  return line;
}

function polluted(): Record<string, unknown> {
  return JSON.parse('{"input":{"__proto__":{"x":1}}}') as Record<string, unknown>;
}

function deep(depth: number): unknown {
  return JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
