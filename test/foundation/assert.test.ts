import { describe, expect, it } from 'vitest';
import { assert, BrokenAssumption, present } from '../../src/foundation/assert.ts';

describe('assumptions', () => {
  it('are silent while they hold', () => {
    assert(true, 'fine');
    expect([present(0, 'zero is there'), present('', 'so is an empty text'), present(false, 'and a no')]).toEqual([
      0,
      '',
      false,
    ]);
  });

  it('throw what nobody catches when they do not', () => {
    expect(() => assert(false, 'two and two')).toThrow(new BrokenAssumption('two and two'));
    expect(() => present(null, 'a row')).toThrow(BrokenAssumption);
    expect(() => present(undefined, 'a row')).toThrow(BrokenAssumption);
  });
});
