import { describe, expect, it } from 'vitest';
import { factText } from '../../src/interfaces/shared/fact-text.ts';

describe('what a fact says', () => {
  it('words of an agent stay in their quotes, whatever they hold', () => {
    const notes = 'fine"\n2026-01-01T00:00:00.000Z    9  verify   → completed';
    const [said, named] = factText({ notes, 'odd\nname': 'x' }, JSON.stringify);
    expect(said).toEqual({ name: 'notes', words: [JSON.stringify(notes)] });
    expect(named?.name).toBe('"odd\\nname"');
  });

  it('criteria and checks come as words, and without what nobody said', () => {
    const criteria = [
      { criterion: 'it is clear', says: '' },
      { criterion: 'it is short', says: 'two pages' },
    ];
    const checks = [{ deliverable: 'guide', verdict: 'held', says: 'a note' }];
    expect(factText({ criteria, checks })).toEqual([
      { name: 'criteria', words: ['it is clear', 'it is short: two pages'] },
      { name: 'checks', words: ['guide (claimed): a note'] },
    ]);
  });

  it.each([
    ['one that is no criterion among others', [{ criterion: 'a', says: '' }, 7]],
    ['nothing', []],
    ['a criterion that is no text', [{ criterion: {}, says: '' }]],
    ['a number', 3],
    ['null', null],
  ])('shows %s as it is', (_, criteria) => {
    expect(factText({ criteria })).toEqual([{ name: 'criteria', words: [JSON.stringify(criteria)] }]);
  });

  it('a verdict that nobody knows is not made up', () => {
    const checks = [{ deliverable: 'guide', verdict: 'constructor', says: 'x' }];
    expect(factText({ checks })).toEqual([{ name: 'checks', words: ['guide: x'] }]);
  });
});
