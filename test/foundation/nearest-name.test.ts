import { expect, it } from 'vitest';
import { nearestName } from '../../src/foundation/nearest-name.ts';

it.each([
  ['reactt', 'react'],
  ['raect', 'react'],
  ['eract', 'react'],
  ['React', 'react'],
  ['plannner', 'planner'],
  ['lpannre', 'planner'],
  ['tcear', null],
  ['qb', null],
])('for %s the known name is %s', (wrong, meant) => {
  expect(nearestName(['react', 'planner', 'qa'], wrong)).toBe(meant);
});
