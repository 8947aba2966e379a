import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { openApp } from '../../src/app/open-app.ts';
import { sendMany } from './sending.ts';
import { aRequest, footprint } from '../folders/queue-world.ts';
import { howToGet, needComponent } from '../support/components.ts';
import { until } from '../support/processes.ts';
import { pythonWorkspace } from './python-programs.ts';
import { campaignSize } from '../support/campaign-sizes.ts';
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

/** The whole storm with `BATON_FOLDER_COUNT=2000`: then with twice as many workers. */
const COUNT = campaignSize('BATON_FOLDER_COUNT');
const isWhole = COUNT >= 2_000;
const NATIVE = isWhole ? 8 : 4;
const FOREIGN = isWhole ? 4 : 2;
const PATIENCE_MS = 60_000 + COUNT * 200;

/** As the specification does it, again and again; whoever is too late for a file goes on to the next. */
const WORKER = `
current = [None]
def note(data):
    with open('done.log', 'a') as log:
        log.write(current[0] + ' python\\n')
    return {"id": "a", "path": "artifacts/a.json"}
handoff.GENERATE = note
while not os.path.exists('over'):
    for name in sorted(os.listdir('handoffs/pending')):
        if name.startswith('.'):
            continue
        current[0] = name[:-5]
        try:
            handoff.process_handoff_request(current[0])
        except FileNotFoundError:
            pass
    really(0.005)
`;

let interpreter: string | null = null;

beforeAll(async () => {
  interpreter = await needComponent('python3');
});

describe(`${NATIVE} of ours and ${FOREIGN} of theirs`, () => {
  it(
    'Q4, I7, I8, I10, I11, F5: each handoff is done by one worker, once, and every file ends in its place',
    { timeout: PATIENCE_MS + 240_000 },
    async ({ skip }) => {
      if (interpreter === null) return skip(howToGet('python3'));
      const work = await pythonWorkspace(interpreter);
      await work.baton(['sync']);
      writeFileSync(join(work.folder, 'done.log'), '');
      const log = 'cat > /dev/null; echo "$BATON_HANDOFF_ID native" >> done.log; echo 1';
      const workers = Array.from({ length: NATIVE }, () => work.start(['work', '@react', '--', 'sh', '-c', log]));
      // What theirs do among themselves before one of ours looks is theirs alone; so it begins when one does.
      const early = ['early-1', 'early-2'];
      for (const id of early) {
        writeFileSync(join(work.folder, `handoffs/pending/${id}.json`), JSON.stringify(aRequest(id)));
        await until(`${id} is taken in and done`, () => work.lines('done.log').includes(`${id} native`));
      }
      const foreign = Array.from({ length: FOREIGN }, () => work.python(WORKER));
      const half = Math.floor(COUNT / 2);
      const theirs = Array.from({ length: half }, (_, at) => `theirs-${at}`);
      const sender = work.python(`
for at in range(${half}):
    id = f'theirs-{at}'
    # Whole at once: two naive programs of theirs would otherwise trip over each other, without any of ours.
    with open('draft.json', 'w') as f:
        json.dump({"handoff_id": id, "source": {"agent_id": "@me"}, "target": {"agent_id": "@react"},
                   "input": {"data": {"at": at}}, "timeout_seconds": 300}, f, indent=2)
    os.rename('draft.json', f'handoffs/pending/{id}.json')
    really(0.002)
`);
      const ours = await sendMany(work.folder, COUNT - half);
      expect((await sender.ended).stderr).toBe('');
      const all = [...early, ...theirs, ...ours];
      const completed = (): readonly string[] => readdirSync(join(work.folder, 'handoffs/completed'));
      await until('all are completed', () => completed().length >= all.length, PATIENCE_MS).catch((error: unknown) => {
        const left = ['pending', 'in-progress', 'waiting', 'failed', 'quarantine'].map(
          (place) => `${place}: ${readdirSync(join(work.folder, 'handoffs', place)).join(' ')}`,
        );
        throw new Error([...left, ...foreign.map((each) => each.stderr())].join('\n'), { cause: error });
      });
      writeFileSync(join(work.folder, 'over'), '');
      const app = await openApp({
        database: { kind: 'sqlite', path: join(work.folder, '.baton/baton.db') },
        limits: NO_LIMITS,
      });
      const states = async (): Promise<readonly string[]> =>
        (await app.ctx.store.find({ by: 'filter', max: COUNT * 2 })).items.map(({ id, state }) => `${id} ${state}`);
      // What theirs do among themselves is known by what the system tells, to a process that is there to hear it.
      const asExpected = all.map((id) => `${id} completed`).toSorted();
      await until('the database knows of all', async () => (await states()).length >= all.length, PATIENCE_MS);
      await until(
        'all are completed there too',
        async () => (await states()).toSorted().join() === asExpected.join(),
        PATIENCE_MS,
      );
      for (const worker of workers) worker.signal('SIGTERM');
      const ended = await Promise.all([...workers, ...foreign].map(async (each) => each.ended));
      const aside = join(work.folder, 'handoffs/quarantine');
      expect(readdirSync(aside).map((name) => `${name}: ${readFileSync(join(aside, name), 'utf8')}`)).toEqual([]);
      expect(ended.map(({ stderr }) => stderr).join('')).not.toMatch(/quarantine|Traceback/);
      await work.baton(['sync']);

      const done = work.lines('done.log').map((line) => line.split(' ', 1).join(''));
      expect(done.toSorted()).toEqual(all.toSorted());
      expect(completed().toSorted()).toEqual(all.map((id) => `${id}.json`).toSorted());
      for (const place of ['pending', 'in-progress', 'waiting', 'failed', 'quarantine']) {
        expect([place, readdirSync(join(work.folder, 'handoffs', place))]).toEqual([place, []]);
      }
      const before = footprint(work.folder);
      await work.baton(['sync']);
      expect(footprint(work.folder)).toEqual(before);

      expect((await states()).toSorted()).toEqual(asExpected);
      expect(await app.ctx.store.upkeep.audit()).toEqual([]);
      await app.close();
      for (const id of all) {
        const file = JSON.parse(readFileSync(join(work.folder, `handoffs/completed/${id}.json`), 'utf8')) as object;
        expect(file).toMatchObject({ handoff_id: id, status: 'completed' });
      }
      const byPython = work.lines('done.log').filter((line) => line.endsWith('python')).length;
      console.log(`mixed storm: ${COUNT} handoffs, ${byPython} done by Python, ${COUNT - byPython} by ours`);
    },
  );
});
