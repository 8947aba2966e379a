/** Workers of ours and of theirs in one queue folder, and any of them may be killed at any time. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { openApp } from '../../src/app/open-app.ts';
import { factsOf } from '../../src/engine/handoffs/read.ts';
import { campaignSize } from '../support/campaign-sizes.ts';
import { howToGet, needComponent } from '../support/components.ts';
import { until, type Running } from '../support/processes.ts';
import { leftIn } from '../folders/queue-world.ts';
import { pythonWorkspace, type PythonWorkspace } from './python-programs.ts';
import { sendMany } from './sending.ts';

/** The whole storm with `BATON_FOLDER_KILLS=2000`: then with more workers. */
const COUNT = campaignSize('BATON_FOLDER_KILLS');
const isWhole = COUNT >= 2_000;
const NATIVE = isWhole ? 8 : 2;
const FOREIGN = isWhole ? 4 : 1;
const KILLS = isWhole ? 100 : 3;
const PATIENCE_MS = 120_000 + COUNT * 500;
/** What a killed program of theirs held is offered again after this. */
const TIMEOUT_S = isWhole ? 5 : 2;

/** As the specification does it; in the middle of the work of every few it is killed. */
const WORKER = `
import random, signal
def work(data):
    if random.random() < 0.15:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"id": "a", "path": "artifacts/a.json"}
handoff.GENERATE = work
while not os.path.exists('over'):
    for name in sorted(os.listdir('handoffs/pending')):
        if name.startswith('.'):
            continue
        try:
            handoff.process_handoff_request(name[:-5])
        except FileNotFoundError:
            pass
    really(0.05)
`;
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

let interpreter: string | null = null;

beforeAll(async () => {
  interpreter = await needComponent('python3');
});

describe(`${NATIVE} of ours and ${FOREIGN} of theirs, killed again and again`, () => {
  it(
    'I7, I8, I10, I11, Q16: each handoff is completed once, and files and database agree',
    { timeout: PATIENCE_MS * 2 },
    async ({ skip }) => {
      if (interpreter === null) return skip(howToGet('python3'));
      const work = await pythonWorkspace(interpreter);
      await work.baton(['sync']);
      const half = Math.floor(COUNT / 2);
      const sender = work.python(`
for at in range(${half}):
    id = f'theirs-{at}'
    with open('draft.json', 'w') as f:
        json.dump({"handoff_id": id, "source": {"agent_id": "@me"}, "target": {"agent_id": "@react"},
                   "input": {"data": {"at": at}}, "timeout_seconds": ${TIMEOUT_S},
                   "retry_policy": {"max_retries": 50, "retry_delay_seconds": 0, "backoff_multiplier": 1}}, f)
    os.rename('draft.json', f'handoffs/pending/{id}.json')
    really(0.01)
`);
      const natives = Array.from({ length: NATIVE }, () => ours(work));
      let isOver = false;
      const theirs = Array.from({ length: FOREIGN }, async () => {
        while (!isOver) await work.python(WORKER).ended;
      });
      const sent = await sendMany(work.folder, COUNT - half, TIMEOUT_S * 1_000);
      expect((await sender.ended).stderr).toBe('');
      const all = [...Array.from({ length: half }, (_, at) => `theirs-${at}`), ...sent];
      const completed = (): number => readdirSync(join(work.folder, 'handoffs/completed')).length;
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const enough = Math.floor((all.length * kill) / (KILLS + 1));
        await until(`${enough} are completed`, () => completed() >= enough, PATIENCE_MS);
        const at = kill % natives.length;
        natives[at]?.signal('SIGKILL');
        await natives[at]?.ended;
        natives[at] = ours(work);
      }
      await until('all are completed', () => completed() >= all.length, PATIENCE_MS).catch((error: unknown) => {
        const left = leftIn(work.folder, ['pending', 'in-progress', 'waiting', 'failed', 'quarantine']);
        throw new Error(left.join('\n'), { cause: error });
      });
      isOver = true;
      writeFileSync(join(work.folder, 'over'), '');
      for (const native of natives) native.signal('SIGTERM');
      await Promise.all([...natives.map(async (native) => native.ended), ...theirs]);

      // What theirs did among themselves while none of ours was there to hear of it is taken in by asking.
      for (const how of [['sync'], ['sync', '--adopt'], ['sync']]) expect((await work.baton(how)).code).toBe(0);
      const app = await openApp({
        database: { kind: 'sqlite', path: join(work.folder, '.baton/baton.db') },
        limits: NO_LIMITS,
      });
      const { items } = await app.ctx.store.find({ by: 'filter', max: COUNT * 2 });
      expect(items.map(({ id, state }) => `${id} ${state}`).toSorted()).toEqual(
        all.map((id) => `${id} completed`).toSorted(),
      );
      for (const id of all) {
        const deeds = (await factsOf(app.ctx, id as HandoffId)).map(({ deed }) => deed);
        expect([id, deeds.filter((deed) => deed === 'complete').length]).toEqual([id, 1]);
      }
      expect(await app.ctx.store.upkeep.audit()).toEqual([]);
      await app.close();
      expect(leftIn(work.folder, ['pending', 'in-progress', 'waiting', 'failed'])).toEqual([]);
      // Whoever was given up and answers all the same is late; nothing else goes wrong.
      const aside = join(work.folder, 'handoffs/quarantine');
      for (const name of readdirSync(aside).filter((each) => each.endsWith('.reason.txt'))) {
        expect(readFileSync(join(aside, name), 'utf8')).toMatch(/late_or_unfenced_completion|a copy|already/);
      }
      const doctor = JSON.parse((await work.baton(['doctor', '--json'])).stdout) as {
        readonly checks: readonly { readonly name: string; readonly verdict: string }[];
      };
      expect(doctor.checks.filter(({ name }) => name === 'queue files')).toMatchObject([{ verdict: 'ok' }]);
      console.log(`kill storm in the folder: ${COUNT} handoffs, ${KILLS} kills of ours`);
    },
  );
});

function ours(work: PythonWorkspace): Running {
  return work.start(['work', '@react', '--', 'sh', '-c', 'cat > /dev/null; echo 1']);
}
