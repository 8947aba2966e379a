/** Reading addresses, classifying what goes wrong, and the clock: the parts that need no server. */
import { describe, expect, it } from 'vitest';
import { readAddress, withoutPassword } from '../../src/stores/postgres/address.ts';
import { faultOf } from '../../src/stores/postgres/connection.ts';
import { serverClock } from '../../src/stores/postgres/server-clock.ts';
import { connectError, statementError } from '../../src/stores/postgres/connection-error.ts';

describe('the address of a server', () => {
  it.each([
    ['postgres://a:b@h/d', 'postgres://a:***@h/d'],
    ['postgresql://a:p@ss:w/rd@h:1/d?x=1', 'postgresql://a:***@h:1/d?x=1'],
    ['postgres://a@h/d', 'postgres://a@h/d'],
    ['postgres://h/d?password=b&sslmode=require', 'postgres://h/d?password=***&sslmode=require'],
    ['postgres:/a:b@h/d', 'postgres:/a:***@h/d'],
    ['a:b@h', '***@h'],
    ['postgres://h/d', 'postgres://h/d'],
  ])('%s is shown as %s', (address, shown) => {
    expect(withoutPassword(address)).toBe(shown);
  });

  it('is read whole, with several hosts and a socket', () => {
    expect(readAddress('postgres://us%40er:p%3Aw@h1:1,h2/d%2Fb?sslmode=require&connect_timeout=3', {})).toMatchObject({
      hosts: [
        { host: 'h1', port: 1 },
        { host: 'h2', port: 5432 },
      ],
      user: 'us@er',
      password: 'p:w',
      database: 'd/b',
      tls: { mode: 'require' },
      connectTimeoutMs: 3000,
    });
    expect(readAddress('postgres://u@/d?host=/var/run/x&port=6', {}).hosts).toEqual([{ host: '/var/run/x', port: 6 }]);
    expect(readAddress('postgres://u@%2Ftmp%2Fx:7/d', {}).hosts).toEqual([{ host: '/tmp/x', port: 7 }]);
    expect(readAddress('postgres://u@[::1]:7/d', {}).hosts).toEqual([{ host: '::1', port: 7 }]);
  });

  it('takes what it leaves out from the environment', () => {
    const environment = {
      PGHOST: 'h',
      PGPORT: '9',
      PGUSER: 'u',
      PGPASSWORD: 'p',
      PGDATABASE: 'd',
      PGSSLMODE: 'verify-full',
    };
    expect(readAddress('postgres://', environment)).toMatchObject({
      hosts: [{ host: 'h', port: 9 }],
      user: 'u',
      password: 'p',
      database: 'd',
      tls: { mode: 'verify-full' },
    });
    expect(readAddress('postgres://', {})).toMatchObject({
      hosts: [{ host: 'localhost', port: 5432 }],
      tls: { mode: 'prefer' },
    });
  });

  it('asks for a host that can be written to where there is a choice, or where it says so', () => {
    expect(readAddress('postgres://h/d', {}).mustWrite).toBe(false);
    expect(readAddress('postgres://h1,h2/d', {}).mustWrite).toBe(true);
    expect(readAddress('postgres://h1,h2/d?target_session_attrs=any', {}).mustWrite).toBe(false);
    expect(readAddress('postgres://h/d?target_session_attrs=primary', {}).mustWrite).toBe(true);
    expect(readAddress('postgres://h/d', { PGTARGETSESSIONATTRS: 'read-write' }).mustWrite).toBe(true);
    expect(() => readAddress('postgres://h/d?target_session_attrs=standby', {})).toThrow(/"any", "read-write" or/);
  });

  it('says whether notifications get through, and nothing else is taken for an answer', () => {
    expect(readAddress('postgres://h/d', {}).notify).toBe(true);
    expect(readAddress('postgres://h/d?notify=on', {}).notify).toBe(true);
    expect(readAddress('postgres://h/d?notify=off', {}).notify).toBe(false);
    for (const wrong of ['', 'no', 'OFF', 'false']) {
      expect(() => readAddress(`postgres://h/d?notify=${wrong}`, {})).toThrow(/notify is "on" or "off"/);
    }
  });

  it.each([
    'mysql://h/d',
    'h:5432',
    'postgres://h/d?sslmod=require',
    'postgres://h/d?sslmode=yes',
    'postgres://%zz:x@h/d',
  ])('refuses %s', (address) => {
    expect(() => readAddress(address, {})).toThrow(/cannot be read/);
  });
});

describe('what went wrong', () => {
  const error = (code: string) => Object.assign(new Error(code), { code });

  it.each([
    ['57P01', 'lost'],
    ['08006', 'lost'],
    ['ECONNRESET', 'lost'],
    ['CONNECTION_CLOSED', 'lost'],
    ['40001', 'again'],
    ['40P01', 'again'],
    ['55P03', 'again'],
    ['57014', 'again'],
    ['25006', 'again'],
    ['23505', 'conflict'],
    ['42P01', 'no-schema'],
    ['22021', 'text'],
    ['26000', 'pooled'],
    ['42P05', 'pooled'],
    ['23514', 'fault'],
    ['42601', 'fault'],
  ])('of a statement, %s is %s', (code, kind) => {
    expect(statementError(error(code)).kind).toBe(kind);
  });

  it.each(['26000', '42P05'])('%s, which only a pooler causes, comes with what to do', (code) => {
    const fault = faultOf(statementError(error(code)), false, 'postgres://h/d');
    expect(fault.message).toMatch(/pooler.*add notify=off/);
    expect(fault.outcome).toBe('unchanged');
  });

  it.each([
    ['ECONNREFUSED', 'unsent'],
    ['57P03', 'unsent'],
    ['53300', 'unsent'],
    ['ECONNRESET', 'unsent'],
    ['28P01', 'fault'],
    ['3D000', 'fault'],
  ])('while connecting, %s is %s', (code, kind) => {
    expect(connectError(error(code)).kind).toBe(kind);
  });
});

describe('the clock of the server', () => {
  it('I19: follows what it hears, moves no further than it must, and needs no clock of ours but the steady one', () => {
    let steadyMs = 1000;
    const clock = serverClock(() => steadyMs);
    expect(clock.isStale()).toBe(true);
    const sentAtMs = steadyMs;
    steadyMs += 10;
    clock.observe(50_000, sentAtMs);
    const first = clock.nowMs();
    expect(first).toBeGreaterThanOrEqual(50_000);
    expect(first).toBeLessThanOrEqual(50_011);
    // A slow answer says less, and changes nothing that it does not contradict.
    steadyMs += 100;
    clock.observe(50_050, steadyMs - 100);
    expect(clock.nowMs()).toBe(first + 100);
    // The server was set ahead by a day.
    clock.observe(86_400_000, steadyMs - 1);
    expect(Math.abs(clock.nowMs() - 86_400_000)).toBeLessThanOrEqual(2);
    steadyMs += 60_000;
    expect(clock.isStale()).toBe(true);
  });

  it('I19: stands still when a quick answer corrects a slow one, and goes back only with the clock of the server', () => {
    let steadyMs = 1000;
    const clock = serverClock(() => steadyMs);
    // The answer took 400 ms, nearly all of it on the way back.
    steadyMs += 400;
    clock.observe(50_000, 1000);
    const early = clock.nowMs();
    expect(early).toBe(50_200);
    clock.observe(50_050, steadyMs);
    expect(clock.nowMs()).toBe(early);
    steadyMs += 100;
    expect(clock.nowMs()).toBe(early);
    steadyMs += 100;
    expect(clock.nowMs()).toBe(50_251);
    clock.observe(40_000, steadyMs);
    expect(Math.abs(clock.nowMs() - 40_000)).toBeLessThanOrEqual(2);
  });
});
