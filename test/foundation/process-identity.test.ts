import { describe, expect, it } from 'vitest';
import {
  identityText,
  isSameProcess,
  judgeAs,
  ownJudge,
  placeOf,
  readIdentity,
  type ProcessIdentity,
} from '../../src/foundation/process-identity.ts';

const judge = ownJudge();
const { self } = judge;

describe('who a process is', () => {
  it('I14: is told by machine, boot, space of process ids, process id and start', () => {
    expect(judge.of(self)).toBe('alive');
    expect(judge.of({ ...self, startedAt: `9${self.startedAt}` })).toBe('gone');
    // No process has such a number.
    expect(judge.of({ ...self, pid: 99_999_999 })).toBe('gone');
  });

  it.each([
    ['another host', { host: 'elsewhere' }],
    ['another machine', { machine: 'another' }],
    ['another boot, of this machine or of a clone of it', { boot: 'another' }],
    ['another space of process ids', { pidSpace: 'pid:[1]' }],
  ] satisfies readonly (readonly [string, Partial<ProcessIdentity>])[])(
    'I14: nobody knows whether it lives on %s, whatever its process id is',
    (_what, parts) => {
      for (const pid of [self.pid, 99_999_999]) expect(judge.of({ ...self, ...parts, pid })).toBe('unknown');
      expect(placeOf({ ...self, ...parts })).not.toBe(placeOf(self));
      expect(isSameProcess({ ...self, ...parts }, self)).toBe(false);
    },
  );

  it('nobody knows where the system tells no boot', () => {
    const nowhere = { ...self, boot: '' };
    expect(judgeAs(nowhere).of(nowhere)).toBe('unknown');
  });

  it('is written and read again, and records of earlier versions can still be read', () => {
    expect(readIdentity(identityText(self))).toEqual(self);
    expect(readIdentity(JSON.stringify({ ...self, machine: undefined }))).toEqual({ ...self, machine: '' });
    for (const text of ['', 'null', '4711-x', '{"pid":1}', identityText(self).slice(0, 20)]) {
      expect(readIdentity(text)).toBeNull();
    }
  });

  it('holds no machine id that could be used as a secret elsewhere', () => {
    expect(self.machine).toMatch(/^(?:|[0-9a-f]{32})$/);
  });
});
