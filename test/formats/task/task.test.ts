import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTaskId } from '../../../src/domain/names.ts';
import { readTaskPattern, taskIdOf, taskNumberIn, DEFAULT_TASK_PATTERN } from '../../../src/formats/task/names.ts';
import { readTask } from '../../../src/formats/task/read.ts';
import { TASK_STATUSES } from '../../../src/formats/task/vocabulary.ts';
import { editTask, writeTask } from '../../../src/formats/task/write.ts';

const AT = '2026-02-21T15:00:00Z';
const CHANGE = { status: 'In-Progress', owner: 'claude', at: AT } as const;

describe('the names of tasks', () => {
  it('D11: follow a pattern that the workspace may choose', () => {
    expect(taskIdOf(DEFAULT_TASK_PATTERN, 2026, 42)).toBe('BPRD-2026-0042');
    expect(taskIdOf(DEFAULT_TASK_PATTERN, 2026, 123_456)).toBe('BPRD-2026-123456');
    const plan = readTaskPattern('PLAN-NNN') ?? DEFAULT_TASK_PATTERN;
    expect(taskIdOf(plan, 2026, 7)).toBe('PLAN-007');
    expect(taskNumberIn('PLAN-007.md', plan, 2026)).toBe(7);
    expect(taskNumberIn('BPRD-2026-0042.md', DEFAULT_TASK_PATTERN, 2026)).toBe(42);
  });

  it.each(['BPRD-2025-0042.md', 'BPRD-2026-42.md', 'BPRD-2026-0042', 'BPRD-2026-0042-copy.md', 'x/BPRD-2026-0042.md'])(
    'D11: %s has no number of this year',
    (name) => expect(taskNumberIn(name, DEFAULT_TASK_PATTERN, 2026)).toBeNull(),
  );

  it.each(['', 'NNNN', 'BPRD', '../NNN', 'a/b-NNN', 'BPRD-NNNN-x', '-NNN', 'a..b-NNN', `${'x'.repeat(10)}-NNNNNNNNNN`])(
    'D11: the pattern %j is none',
    (pattern) => expect(readTaskPattern(pattern)).toBeNull(),
  );

  it.each(['../x', 'a/b', '.hidden', 'a\nb', 'nul', 'x..y', '', 'a b'])('D11: %j names no file', (name) => {
    expect(readTaskId(name)).toBeNull();
  });
});

describe('a task', () => {
  it('D11: with a front matter changes where it must and nowhere else', () => {
    const text =
      '---\n# ours\nid: BPRD-2026-0042\nstatus:   Assigned   # since Monday\npriority: 1e3\nowner: "@grok"\n---\n\nstatus: mine\n';
    expect(editTask(text, CHANGE)).toBe(
      '---\n# ours\nid: BPRD-2026-0042\nstatus:   In-Progress   # since Monday\npriority: 1e3\nowner: "@claude"\n---\n\nstatus: mine\n',
    );
  });

  it('D11: in the bare form changes where it must and nowhere else', () => {
    const text =
      '# BPRD-2026-0042: Rate limiting\r\n\r\nid: BPRD-2026-0042\r\nStatus:\tAssigned # since Monday\r\nlinks:\r\n  - status: no\r\nowner:\r\n\r\nProse, and then\r\nstatus: mine\r\n';
    expect(editTask(text, CHANGE)).toBe(
      text.replace('Assigned # since', 'In-Progress # since').replace('owner:\r', 'owner: claude\r'),
    );
  });

  it('D11: without an owner gets one beside its status, in its own line ends', () => {
    expect(editTask('status: Assigned', CHANGE)).toBe('status: In-Progress\nowner: claude\n');
    expect(editTask('id: x\r\nstatus: Assigned\r\n\r\ntext', CHANGE)).toBe(
      'id: x\r\nstatus: In-Progress\r\nowner: claude\r\n\r\ntext',
    );
    expect(editTask('---\nid: x\n---\n', CHANGE)).toMatch(
      /^---\nid: x\n(?:status: In-Progress\nowner: claude|owner: claude\nstatus: In-Progress)\n---\n$/,
    );
  });

  it('D11: that says the same in other words stays as it is', () => {
    for (const text of ['status: in progress\nowner: @Claude\n', '---\nstatus: IN_PROGRESS\nowner: claude\n---\n']) {
      expect(editTask(text, CHANGE)).toBe(text);
    }
  });

  it('D11: that says when it was changed says so again', () => {
    const dated = '---\nstatus: Assigned\nowner: claude\nupdated_at: 2026-01-01T00:00:00Z\n---\n';
    expect(editTask(dated, CHANGE)).toContain(`updated_at: ${AT}\n`);
    expect(editTask('updated_at: 1\nstatus: Assigned\nowner: claude\n', CHANGE)).toBe(
      `updated_at: ${AT}\nstatus: In-Progress\nowner: claude\n`,
    );
  });

  it.each([
    ['prose alone', '# A task\n\nDo it.\n', 1],
    ['a broken front matter', '---\nid: x\nstatus: [\n---\n', 4],
    ['an open front matter', '---\nstatus: Assigned\n', 1],
    ['an alias', '---\nowner: &a x\nstatus: *a\n---\n', 2],
    ['a status that only prose has', 'Some words first.\nstatus: Assigned\n', 1],
  ])('D11: of %s is not read, and its place is told', (_what, text, line) => {
    expect(readTask(text)).toMatchObject({ line });
  });

  it('D11: with a line of a megabyte is judged at once', () => {
    const text = `status: a${' '.repeat(1_000_000)}x\nowner: y\n`;
    expect(readTask(text)).toHaveProperty('says');
  });

  it('D11: that we wrote is read again, whatever its title', () => {
    const titles = fc.string({ unit: 'binary' }).filter((title) => !title.includes('\0') && title.trim() !== '');
    fc.assert(
      fc.property(titles, fc.constantFrom(...TASK_STATUSES), (title, status) => {
        const id = taskIdOf(DEFAULT_TASK_PATTERN, 2026, 1);
        const text = writeTask({ id, title, status, owner: 'grok', createdAt: AT });
        expect(readTask(text)).toEqual({ form: 'front-matter', title, status, owner: 'grok' });
        expect(readTask(editTask(text, CHANGE))).toMatchObject({ status: 'In-Progress', owner: 'claude' });
      }),
    );
  });

  it('D11: in the bare form keeps every other line', () => {
    const lines = fc.array(
      fc.constantFrom('status: Assigned', 'owner: grok', 'x: y', '', '# h', '  more', '- item', 'prose'),
    );
    const others = (whole: string): readonly string[] =>
      whole.split(/\r?\n/).filter((line) => !/^(?:status|owner)\b/i.test(line) && line !== '');
    fc.assert(
      fc.property(lines, fc.constantFrom('\n', '\r\n'), fc.string(), (some, lineEnd, rest) => {
        const text = ['status: Open', ...some, rest].join(lineEnd);
        const edited = editTask(text, CHANGE);
        expect(others(edited)).toEqual(others(text));
        expect(editTask(edited, CHANGE)).toBe(edited);
      }),
    );
  });
});
