import { describe, expect, it } from 'vitest';
import { findBlocks } from '../../../src/formats/summary-block/find.ts';
import { readBlock, type BlockRead } from '../../../src/formats/summary-block/read.ts';
import { writeBlock } from './write-block.ts';

function readYaml(yaml: string, strict = false): BlockRead {
  const [block] = findBlocks(`\`\`\`yaml\n${yaml}\n\`\`\`\n`);
  if (block === undefined) throw new Error('no block');
  return readBlock(block, { strict });
}

const HEAD = 'handoff:\n  phase: "QA"\n  from: "@a"\n  to: "@b"\n  status: "complete"';

/** What is written, what lenient reading makes of it, and the field that strict reading complains about. */
const LENIENT: readonly (readonly [says: string, yaml: string, takes: object, field: string])[] = [
  ['an unknown phase is kept', HEAD.replace('QA', 'Development'), { phase: 'Development' }, 'phase'],
  ['a phase in other letters is the phase', HEAD.replace('QA', 'qa'), { phase: 'QA' }, 'phase'],
  ['no phase', HEAD.replace('  phase: "QA"\n', ''), { phase: null }, 'phase'],
  ['to: null is nobody', HEAD.replace('"@b"', 'null'), { to: null }, 'to'],
  ['to: ~ is nobody', HEAD.replace('"@b"', '~'), { to: null }, 'to'],
  ['to in small letters', HEAD.replace('@b', 'none'), { to: null }, 'to'],
  ['no to at all', HEAD.replace('  to: "@b"\n', ''), { to: null }, 'to'],
  ['a name without @', HEAD.replace('"@a"', 'Agent-A'), { from: 'agent-a' }, 'from'],
  ['a name with @ but without quotes', HEAD.replace('"@a"', '@a'), { from: 'a' }, ''],
  ['a name with a remark', HEAD.replace('@b', '@b (REQUIRED for validation)'), { to: 'b' }, 'to'],
  ['other names of fields', HEAD.replace('from:', 'from_agent:'), { from: 'a' }, 'from_agent'],
  ['a status in other letters', HEAD.replace('complete', 'In Progress'), { status: 'in_progress' }, 'status'],
  ['another spelling of a status', HEAD.replace('complete', 'Completed'), { status: 'complete' }, 'status'],
  ['a status in another language', HEAD.replace('complete', 'terminé'), { status: null }, 'status'],
  ['a status in another script', HEAD.replace('complete', '完了'), { status: null }, 'status'],
  ['a status that is a word of prose', HEAD.replace('complete', 'looks fine'), { status: null }, 'status'],
  ['a number in quotes', `${HEAD}\n  retry_count: "2"`, { retryCount: 2 }, 'retry_count'],
  ['a number that is none', `${HEAD}\n  retry_count: many`, { retryCount: 0 }, 'retry_count'],
  [
    'one dependency without a list',
    `${HEAD}\n  dependencies: task-1, task-2`,
    { dependencies: ['task-1', 'task-2'] },
    'dependencies',
  ],
  ['metrics that are no map', `${HEAD}\n  metrics: 12`, { metrics: { value: 12 } }, 'metrics'],
  ['context that is no map', `${HEAD}\n  context: all well`, { context: { text: 'all well' } }, 'context'],
  [
    'numbers of on_failure in quotes',
    `${HEAD}\n  on_failure: {retry: "2"}`,
    { onFailure: { retry: 2 } },
    'on_failure.retry',
  ],
  ['a route to nobody', `${HEAD}\n  on_failure: {route_to: "a b"}`, { onFailure: {} }, 'on_failure.route_to'],
  ['a time that is none', `${HEAD}\n  timestamp: yesterday`, { toldAt: null }, 'timestamp'],
  ['Handoff in other letters', HEAD.replace('handoff', 'HandOff'), { from: 'a' }, 'handoff'],
  ['blocked by nothing', HEAD.replace('complete', 'blocked'), { status: 'blocked', waitsFor: null }, 'status'],
  ['a merged key', `${HEAD}\n  <<: {to: "@c"}`, { to: 'b' }, ''],
  ['__proto__', `${HEAD}\n  metrics: {__proto__: {x: 1}, y: 2}`, { metrics: { y: 2 } }, 'metrics.__proto__'],
];

describe('reading a block', () => {
  it.each(LENIENT)('S2: lenient keeps it with a warning, strict answers a problem: %s', (_, yaml, takes, field) => {
    const lenient = readYaml(yaml);
    expect(lenient.problems).toEqual([]);
    expect(lenient.fields).toMatchObject(takes);
    expect(lenient.warnings.map((each) => each.field)).toEqual([field]);
    const strict = readYaml(yaml, true);
    expect(strict.fields).toBeNull();
    expect(strict.problems).toEqual(lenient.warnings);
  });

  it.each([
    ['no from', HEAD.replace('  from: "@a"\n', ''), 'from'],
    ['a from that is no name', HEAD.replace('@a', 'a b'), 'from'],
    ['a to that is no name', HEAD.replace('@b', '@x | None'), 'to'],
    ['several agents at once', HEAD.replace('"@b"', '["@b", "@c"]'), 'to'],
    ['a field twice', `${HEAD}\n  status: failed`, 'status'],
    ['an alias', `${HEAD}\n  metrics: &m {a: 1}\n  context: *m`, 'context'],
    ['no fields', 'handoff: complete', 'handoff'],
    ['not YAML', `${HEAD}\n  metrics: {a: [}`, ''],
  ])('S2: neither way of reading guesses: %s', (_, yaml, field) => {
    for (const strict of [true, false]) {
      const read = readYaml(yaml, strict);
      expect(read.fields).toBeNull();
      expect(read.problems.map((each) => each.field)).toContain(field);
    }
  });

  it('S1: says line and column in the text around it, also in lists and quotes and with CRLF', () => {
    const text = ['\uFEFFintro', '', '- item', '', '  ```yaml', '  handoff:', '    phase: "Nope"', '    from: "@a"'];
    const rest = [
      '    to: "None"',
      '    status: "complete"',
      '  ```',
      '> ~~~yml',
      '> handoff:',
      '>   status: "no"',
      '> ~~~',
    ];
    const [first, second] = findBlocks([...text, ...rest].join('\r\n'));
    expect(first).toMatchObject({ line: 5, column: 3, place: 'top', closed: true });
    expect(first && readBlock(first, { strict: true }).problems).toMatchObject([
      { line: 7, column: 12, field: 'phase' },
    ]);
    expect(second).toMatchObject({ line: 12, column: 3, place: 'quote', index: 1 });
    const problems = second && readBlock(second, { strict: true }).problems;
    expect(problems?.find((each) => each.field === 'status')).toMatchObject({ line: 14, column: 13 });
  });

  it('keeps what it does not know, the project, the leg and ids to the last digit', () => {
    const more =
      '  id: hoff-1\n  project: shop\n  story: "03.14"\n  dependencies: [15.30, task-2]\n  timestamp: "2025-01-06T14:30:00Z"';
    const { fields } = readYaml(`${HEAD}\n${more}`);
    expect(fields).toMatchObject({ leg: 'hoff-1', project: 'shop', unread: { story: '03.14' } });
    expect(fields).toMatchObject({ dependencies: ['15.30', 'task-2'], toldAt: Date.UTC(2025, 0, 6, 14, 30) });
  });

  it('S2: what is written is read strictly, and says the same', () => {
    const written = {
      phase: 'Testing',
      from: 'a',
      to: null,
      status: 'blocked',
      retryCount: 2,
      metrics: { coverage: '95%', 'odd: key': [1, { '#': '```' }], yes: true, empty: '' },
      dependencies: ['task-1', '007'],
      onFailure: { retry: 1, routeTo: 'b', notify: 'c', escalateAfter: 3, context: 'line\n```\nline' },
      context: { note: '@x: "y"', null: null },
      toldAt: Date.UTC(2026, 1, 3),
      project: 'p',
      leg: 'hoff-1',
      waitsFor: 'the key',
      unread: { story: '1.2' },
    } as const;
    const [block] = findBlocks(writeBlock(written));
    const read = block && readBlock(block, { strict: true });
    expect(read?.problems).toEqual([]);
    expect(read?.fields).toMatchObject(written);
  });
});
