import { describe, expect, it } from 'vitest';
import { agentOf } from '../../../src/formats/legacy/agents.ts';
import { instantOf } from '../../../src/formats/legacy/dates.ts';
import { readName } from '../../../src/formats/legacy/file-name.ts';
import { stateOf } from '../../../src/formats/legacy/status-words.ts';

describe('D14: the words of strangers', () => {
  it.each([
    ['open', 'offered'],
    ['OPEN', 'offered'],
    ['Ready for Cursor', 'offered'],
    ['Active — see checklist', 'offered'],
    ['in_progress', 'accepted'],
    ['In-Progress (70 %)', 'accepted'],
    ['🚧 WIP', 'accepted'],
    ['not complete', 'accepted'],
    ['ready_for_review', 'delivered'],
    ['✅', 'completed'],
    ['Actioned 3 March', 'completed'],
    ['レビュー中', 'delivered'],
    ['진행 중', 'accepted'],
    ['✅ Complete', 'completed'],
    ['[x] shipped', 'completed'],
    ['PASS - Ready for Release', 'completed'],
    ['terminée', 'completed'],
    ['erledigt', 'completed'],
    ['已完成', 'completed'],
    ['NO-GO', 'failed'],
    ['superseded', 'cancelled'],
    ['timed out', 'expired'],
    ['Waiting on legal', 'blocked'],
    ['sent back', 'rejected'],
  ])('%s is %s', (text, state) => expect(stateOf(text)).toBe(state));

  it.each([
    '',
    '???',
    'proposed|approved|rejected',
    'simmering',
    'The open question is whether done work counts as done',
  ])('%s is kept as it is', (text) => expect(stateOf(text)).toBe(text.startsWith('proposed') ? 'draft' : null));

  it.each([
    ['2026-02-21', '2026-02-21T00:00:00.000Z'],
    ['2026-02-21T14:30:00Z', '2026-02-21T14:30:00.000Z'],
    ['2026-02-21T14:30:00.123456+08:00', '2026-02-21T06:30:00.000Z'],
    ['2026-07-09 11:28 UTC', '2026-07-09T11:28:00.000Z'],
    ['2026/07/09', '2026-07-09T00:00:00.000Z'],
    ['20260313T032639Z', '2026-03-13T03:26:39.000Z'],
    ['2025-12-14T00-00-00Z', '2025-12-14T00:00:00.000Z'],
    ['June 26, 2026', '2026-06-26T00:00:00.000Z'],
    ['26th of nothing, 26 Jun 2026 3:05 PM', '2026-06-26T15:05:00.000Z'],
    ['09.04.2026', '2026-04-09T00:00:00.000Z'],
    ['04/09/2026', '2026-04-09T00:00:00.000Z'],
    ['24/09/2026', '2026-09-24T00:00:00.000Z'],
    ['1767225600', '2026-01-01T00:00:00.000Z'],
    ['2026-03-04 18:00 (UTC+7)', '2026-03-04T11:00:00.000Z'],
    ['2026-03-04 09:30 PST', '2026-03-04T17:30:00.000Z'],
    ['4 March 2026, 09:30 CET', '2026-03-04T08:30:00.000Z'],
    ['2026-07-04T10:00 GMT-3', '2026-07-04T13:00:00.000Z'],
    ['2026-03-04 10:00 +0530', '2026-03-04T04:30:00.000Z'],
    ['task-20260803-0612ab', '2026-08-03T00:00:00.000Z'],
    ['20260803_1234ef90', '2026-08-03T00:00:00.000Z'],
  ])('%s is %s', (text, instant) => expect(new Date(instantOf(text) ?? Number.NaN).toISOString()).toBe(instant));

  it.each(['', 'tomorrow', '2026-13-01', '2026-02-31', 'v1.2.3', '99999999'])('%s is no day', (text) =>
    expect(instantOf(text)).toBeNull(),
  );

  it.each([
    ['Claude (Chief Strategist)', 'claude'],
    ['@module-agent (REQUIRED)', 'module-agent'],
    ['**Grok** / Research Lead', 'grok'],
    ['`codex_gpt`', 'codex_gpt'],
    ['Claude Code', 'claude-code'],
    ['[Ivy](agents/ivy.md), garden office', 'ivy'],
    ['Bäckerei-Agent', 'backerei-agent'],
    ['rowan → maple', 'rowan'],
    ['클로드', 'xn--hy1bj0exy2a'],
    ['Клод (агент)', 'xn--d1aldm'],
  ])('%s is %s', (text, agent) => expect(agentOf(text)).toBe(agent));

  it.each(['', 'TBD', 'none', 'Unassigned', '<role>', '{from}', '—', 'string', 'XXX', '__NAME__'])(
    '%s is nobody',
    (text) => expect(agentOf(text)).toBeNull(),
  );

  it.each([
    ['a/handoff-x-20260220_063331.md', 'handoff-x-20260220'],
    ['handoff-x-copy.md', 'handoff-x'],
    ['handoff-x - Copy (3).md', 'handoff-x'],
    ['handoff-x (2).md', 'handoff-x'],
    ['handoff-x copy 2.md', 'handoff-x'],
    ['handoff-x.md.bak', 'handoff-x'],
    ['handoff-x-20260220_063331-copy (2).md', 'handoff-x-20260220'],
  ])('%s is a copy of %s', (name, stem) => expect(readName(name)).toMatchObject({ stem, isCopy: true }));

  it.each(['handoff-photocopy.md', 'handoff-x-20260220.md', 'handoff-123456.md'])('%s is no copy', (name) =>
    expect(readName(name).isCopy).toBe(false),
  );

  it.each([
    ['T-0022__codex__to__claude.md', 'codex', 'claude'],
    ['handoff_ivy_to_basil_2026-01-02.md', 'ivy', 'basil'],
    ['HANDOFF-DESK-TO-YARD-WATER.md', 'DESK', 'YARD'],
    ['handoffs/to-kimi/done/014-water.md', null, 'kimi'],
    ['HANDOFF-TO-WRITER.md', null, null],
    ['how-to-water.md', 'how', 'water'],
  ])('%s goes from %s to %s', (name, from, to) => expect(readName(name)).toMatchObject({ from, to }));
});
