import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { isAlive, until } from '../support/processes.ts';
import { containersOf, git, makePlace, makeRepository, NODE_PROJECT, testShadow, needPodman } from './samples.ts';

const MINUTES = 5 * 60_000;
const QUICK = 'shadow: { memory_mb: 512, processes: 96, command_seconds: 3 }\n';

/** Each runs from the test script, as a project would do it; the whole of it is one line of JavaScript. */
const HOSTILE: readonly (readonly [string, string])[] = [
  [
    'a fork bomb',
    "const b=()=>{try{require('child_process').spawn(process.execPath,[__filename],{detached:true,stdio:'ignore'}).unref()}catch{}};b();b();setInterval(b,5)",
  ],
  [
    'a disk filler, and one that prints without end',
    "const fs=require('fs');try{for(;;)fs.appendFileSync('/workspace/full',Buffer.alloc(1e7))}catch{};for(;;)process.stdout.write('x'.repeat(1e6))",
  ],
  [
    'one that runs for ever and leaves daemons',
    "for(let i=0;i<5;i++)require('child_process').spawn('setsid',['sleep','1000'],{detached:true,stdio:'ignore'}).unref();setInterval(()=>{},1e6)",
  ],
];

/** Its record says in what it runs: from then on its container is there, and the test is under way. */
function isMade(folder: string): boolean {
  const place = join(folder, '.baton/shadows/environments');
  const names = existsSync(place) ? readdirSync(place) : [];
  const records = names.map((name) => join(place, name, 'record.json')).filter((file) => existsSync(file));
  return records.some((file) => readFileSync(file, 'utf8').includes('"runtime"'));
}

describe('a hostile project', () => {
  beforeEach(needPodman);

  it.each(HOSTILE)(
    'V3, V6: %s is contained, judged FAIL, and its container is gone',
    { timeout: MINUTES },
    async (_what, program) => {
      const place = makePlace(QUICK);
      const repository = makeRepository({
        ...NODE_PROJECT,
        'package.json': (NODE_PROJECT['package.json'] ?? '').replace('node --test', 'node evil.js'),
        'evil.js': program,
      });
      const verdict = await testShadow(place, repository);
      expect(verdict).toMatchObject({ verdict: 'FAIL', mode: 'shadow' });
      expect(containersOf(place.folder)).toEqual([]);
      expect(readdirSync(join(place.folder, '.baton/shadows/environments'))).toEqual([]);
      expect(git(repository, 'status', '--porcelain')).toBe('');
    },
  );

  it('V4: kill -9 in the middle leaves nothing that the next run does not remove', { timeout: MINUTES }, async () => {
    const place = makePlace();
    const slow = makeRepository({
      ...NODE_PROJECT,
      'package.json': (NODE_PROJECT['package.json'] ?? '').replace('node --test', 'sleep 600'),
    });
    const killed = place.start(['test', `${slow}:acme/widget`]);
    await until('the shadow is made', () => isMade(place.folder), MINUTES);
    killed.signal('SIGKILL');
    await killed.ended;
    expect(isAlive(killed.pid)).toBe(false);
    expect(containersOf(place.folder)).toHaveLength(1);
    const kept = (await place.run(['create', `${makeRepository(NODE_PROJECT)}:acme/other`])).stdout.trim();
    expect(containersOf(place.folder).map((line) => line.includes(kept))).toEqual([true]);
    expect(readdirSync(join(place.folder, '.baton/shadows/environments'))).toEqual([kept]);
    expect((await place.run(['destroy', '--all'])).code).toBe(0);
    expect(containersOf(place.folder)).toEqual([]);
  });

  it(
    'V4: Ctrl-C removes the container, cancels the handoff and answers as shells expect',
    { timeout: MINUTES },
    async () => {
      const place = makePlace();
      const slow = makeRepository({
        ...NODE_PROJECT,
        'package.json': (NODE_PROJECT['package.json'] ?? '').replace('node --test', 'sleep 600'),
      });
      const running = place.start(['test', `${slow}:acme/widget`]);
      await until('the shadow is made', () => isMade(place.folder), MINUTES);
      running.signal('SIGINT');
      const ended = await running.ended;
      expect(ended.code).toBe(130);
      expect(ended.stdout).not.toContain('VERDICT');
      expect(containersOf(place.folder)).toEqual([]);
      expect(existsSync(join(place.folder, '.baton/shadows/environments'))).toBe(true);
      expect(readdirSync(join(place.folder, '.baton/shadows/environments'))).toEqual([]);
    },
  );
});
