/**
 * The specification's Python functions as they are, in all roles, at random: up to a second between a move and the writing
 * after it, work of 1 to 10 seconds, clocks that are wrong, `kill -9` at every point, and workers of ours that compete.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { openApp, type App } from '../../src/app/open-app.ts';
import { seededRandom, type SeededRandom } from '../simulation/seeded-random.ts';
import { campaignSize } from '../support/campaign-sizes.ts';
import { howToGet, needComponent } from '../support/components.ts';
import { until } from '../support/processes.ts';
import { pythonWorkspace, type PythonWorkspace } from './python-programs.ts';

const COUNT = campaignSize('BATON_PYTHON_SCHEDULES');
const isWhole = COUNT >= 100;
/** `BATON_PYTHON_SEED=7` runs that schedule alone. */
const ASKED = process.env['BATON_PYTHON_SEED'];
/** In `npm test` everything is as many times faster. */
const HASTE = isWhole ? 1 : 10;
const AT_ONCE = isWhole ? 16 : COUNT;
const PATIENCE_MS = 180_000;
/** For a machine that is busy: at a load of 20, attempts with one second to spare failed again and again for minutes. */
const SLACK_S = isWhole ? 3 : 5;

/** Where a worker is killed: after a move, in the middle of what it writes after it, or at work. */
const KILL_AT = ['pick-up moved', 'pick-up half', 'working', 'end moved', 'end half', 'end written'] as const;

interface Schedule {
  readonly seed: number;
  readonly sender: 'python' | 'ours';
  readonly timeoutS: number;
  /** A worker of ours joins so many seconds after the others. */
  readonly oursAfterS: number | null;
  readonly workers: readonly {
    readonly workS: number;
    readonly pauseS: number;
    readonly skewS: number;
    readonly fails: boolean;
    readonly killAt: (typeof KILL_AT)[number] | null;
  }[];
}

function scheduleOf(seed: number): Schedule {
  const random = seededRandom(seed);
  const [first, second] = [workerOf(random, true), workerOf(random, false)];
  // The second one is always in time, or nobody might ever be. The first one may be late, and then somebody else has it.
  const neededS = second.workS + 3 * second.pauseS + SLACK_S;
  return {
    seed,
    sender: random.pick(['python', 'ours']),
    timeoutS: Math.ceil(neededS + random.between(0, 5) / HASTE),
    oursAfterS: random.chance(0.3) ? random.between(0, 8) / HASTE : null,
    workers: [first, second],
  };
}

function workerOf(random: SeededRandom, mayDie: boolean): Schedule['workers'][number] {
  return {
    workS: random.between(1_000, 10_000) / 1_000 / HASTE,
    pauseS: random.between(0, 1_000) / 1_000,
    skewS: random.pick([0, 0, -86_400, 86_400, -3_600_000, 3_600_000]),
    fails: random.chance(0.15),
    killAt: mayDie && random.chance(0.6) ? random.pick(KILL_AT) : null,
  };
}

/** The functions stay as they are; `shutil.move`, `json.dump` and the clocks that they use are slow, wrong or deadly. */
const HOSTILE_WORLD = (worker: Schedule['workers'][number]): string => `
import signal, datetime
PLAN = json.loads(${JSON.stringify(JSON.stringify(worker))})
step = ['none']
def point(name):
    if PLAN['killAt'] == name:
        os.kill(os.getpid(), signal.SIGKILL)
class Skewed(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return super().now(tz) + datetime.timedelta(seconds=PLAN['skewS'])
    @classmethod
    def utcnow(cls):
        return super().utcnow() + datetime.timedelta(seconds=PLAN['skewS'])
handoff.datetime = Skewed
plain_move = handoff.shutil.move
def misdate(path):
    if PLAN['skewS'] != 0:
        os.utime(path, (time.time() + PLAN['skewS'],) * 2)
def move(source, target):
    plain_move(source, target)
    step[0] = 'pick-up' if 'in-progress' in target else 'end'
    point(step[0] + ' moved')
    misdate(target)
    really(PLAN['pauseS'])
def dump(value, file, **how):
    text = json.dumps(value, **how)
    file.write(text[:len(text) // 2])
    file.flush()
    point(step[0] + ' half')
    really(PLAN['pauseS'] / 4)
    file.write(text[len(text) // 2:])
    file.flush()
    misdate(file.name)
handoff.shutil.move, handoff.json.dump = move, dump
`;

/** Takes the handoff whenever it is offered, until all is over. What it has answered it notes, for the test. */
const WORKER = (id: string, name: string, worker: Schedule['workers'][number]): string => `${HOSTILE_WORLD(worker)}
count = [0]
def work(data):
    count[0] += 1
    really(PLAN['workS'])
    point('working')
    if PLAN['fails']:
        raise Exception(f'${name}-{count[0]} fails')
    return {"id": f'${name}-{count[0]}', "path": "artifacts/${name}.json"}
handoff.GENERATE = work
def noted(end, said):
    def answer(id, what):
        end(id, what)
        with open('answers/${id}', 'a') as log:
            log.write(said(what) + '\\n')
        point('end written')
    return answer
handoff.complete_handoff_success = noted(handoff.complete_handoff_success, lambda artifact: artifact['id'])
handoff.complete_handoff_failure = noted(handoff.complete_handoff_failure, lambda message: message)
while not os.path.exists('over/${id}'):
    if os.path.exists('handoffs/pending/${id}.json'):
        try:
            handoff.process_handoff_request('${id}')
        except (FileNotFoundError, ValueError, KeyError):
            pass # Somebody else was faster, or is about to write it.
    really(0.05)
`;

/** The specification's sender names a request by the second: the clock is set so that each has a second of its own. */
const SENDER = (seed: number, timeoutS: number): string => `
import datetime
class Own(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.datetime(2031, 1, 1) + datetime.timedelta(seconds=${seed})
handoff.datetime = Own
def dump(value, file, **how):
    value['timeout_seconds'] = ${timeoutS}
    value['retry_policy'] = {'max_retries': 50, 'retry_delay_seconds': 0, 'backoff_multiplier': 1}
    text = json.dumps(value, **how)
    file.write(text[:100])
    file.flush()
    really(0.1)
    file.write(text[100:])
handoff.json.dump = dump
handoff.create_handoff_request('@me', '@s${seed}', {'n': ${seed}})
`;
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

/** Waits as the specification does. Between a foreign move and the writing after it there is no answer: it asks again. */
const WAITER = (id: string): string => `
while True:
    try:
        answer = handoff.wait_for_handoff_completion('${id}', ${PATIENCE_MS / 1_000})
        if answer.get('status') == 'completed' and 'output' in answer:
            print('GOT', json.dumps({"kind": "result", "output": answer['output']}))
            break
    except handoff.HandoffFailedException as failed:
        print('GOT', json.dumps({"kind": "failure", "says": str(failed)}))
        break
    except (FileNotFoundError, ValueError, KeyError):
        pass
    really(0.02)
`;

let interpreter: string | null = null;

beforeAll(async () => {
  interpreter = await needComponent('python3');
});

describe("the specification's Python in all roles, at random", () => {
  it(
    'Q4, Q13, Q16, I7, I8, F3, F5, F6: whoever waits gets one answer that somebody gave, and every other one is kept',
    { timeout: PATIENCE_MS * (1 + COUNT / AT_ONCE) },
    async ({ skip }) => {
      if (interpreter === null) return skip(howToGet('python3'));
      const work = await pythonWorkspace(interpreter);
      for (const name of ['answers', 'over']) mkdirSync(join(work.folder, name));
      // Somebody of ours is there and looks after the folder.
      const keeper = work.start(['work', '@nobody', '--', 'true']);
      const app = await openApp({
        database: { kind: 'sqlite', path: join(work.folder, '.baton/baton.db') },
        limits: NO_LIMITS,
      });
      const seeds = ASKED === undefined ? Array.from({ length: COUNT }, (_, seed) => seed) : [Number(ASKED)];
      const ends = await severalAtOnce(seeds, async (seed) => run(work, app, scheduleOf(seed)));
      keeper.signal('SIGTERM');
      await keeper.ended;
      expect((await work.baton(['sync'])).code).toBe(0);
      const later = await severalAtOnce(ends, async ({ id }) => naiveAnswer(work, id));
      const otherwise = ends.flatMap(({ schedule, id, winner, answers }, at) =>
        later[at] === winner ? [] : [{ ...schedule, id, winner, answers, later: later[at] }],
      );
      expect(otherwise).toEqual([]);

      const aside = textsIn(join(work.folder, 'handoffs/quarantine'));
      expect(ends.flatMap((end) => wrongIn(end, aside))).toEqual([]);
      expect(await app.ctx.store.upkeep.audit()).toEqual([]);
      await app.close();
      const doctor = JSON.parse((await work.baton(['doctor', '--json'])).stdout) as {
        readonly checks: readonly { readonly name: string; readonly verdict: string }[];
      };
      // Losers in quarantine are told; nothing lies or says something else than the database.
      expect(doctor.checks.filter(({ name }) => name === 'queue files')).toMatchObject([{ verdict: 'ok' }]);
      const losers = ends.flatMap(({ answers, winner }) => answers.filter((answer) => answer !== winner));
      console.log(
        `python schedules: ${ends.length}, ${ends.filter(({ isKilled }) => isKilled).length} with a kill, ` +
          `${losers.length} answers that came too late, ${ends.filter(({ winner }) => winner === OURS).length} won by ours`,
      );
    },
  );
});

const OURS = 'ours';

async function severalAtOnce<Item, Answer>(
  items: readonly Item[],
  act: (item: Item) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const next = items.entries();
  const one = async (): Promise<void> => {
    for (const [at, item] of next) answers[at] = await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return answers;
}

interface End {
  readonly schedule: Schedule;
  readonly id: string;
  /** What the workers say that they have answered. */
  readonly answers: readonly string[];
  /** What the database says, `baton wait`, and the specification's waiter. */
  readonly winner: string;
  readonly waited: string;
  readonly naive: string;
  readonly isKilled: boolean;
}

async function run(work: PythonWorkspace, app: App, schedule: Schedule): Promise<End> {
  const id = await sendOne(work, schedule);
  const known = async (): Promise<boolean> => (await app.ctx.store.load(id)) !== null;
  // A worker that is killed while it rewrites a request that nobody of ours has read yet destroys it: see docs/protocols/queue.md.
  await until(`${id} is known`, known, PATIENCE_MS);
  writeFileSync(join(work.folder, 'answers', id), '');
  const workers = schedule.workers.map((worker, at) => work.python(WORKER(id, `s${schedule.seed}-w${at}`, worker)));
  const waiting = work.start(['wait', id, '--json', '--timeout', `${PATIENCE_MS / 1_000}`]);
  const ours =
    schedule.oursAfterS === null
      ? null
      : work.start([
          'work',
          `@s${schedule.seed}`,
          '--',
          'sh',
          '-c',
          `cat > /dev/null; sleep ${schedule.oursAfterS}; echo '"${OURS}"'`,
        ]);
  const [naive, waited] = await Promise.all([naiveAnswer(work, id), waiting.ended]);
  writeFileSync(join(work.folder, 'over', id), '');
  ours?.signal('SIGTERM');
  const [first] = await Promise.all([...workers.map((worker) => worker.ended), ours?.ended]);
  const whole = await app.ctx.store.load(id);
  const outcome = JSON.parse(whole?.outcome ?? 'null') as Outcome | null;
  const kept = outcome?.kind === 'failure' ? { failure: outcome } : ((outcome ?? { result: 'no answer' }) as Answer);
  return {
    schedule,
    id,
    answers: work.lines(`answers/${id}`),
    winner: sayingOf(kept),
    waited: waited.stdout.startsWith('{') ? sayingOf(JSON.parse(waited.stdout) as Answer) : waited.stderr,
    naive,
    isKilled: first?.signal === 'SIGKILL',
  };
}

/** What the specification's own function answers to whoever waits. */
async function naiveAnswer(work: PythonWorkspace, id: string): Promise<string> {
  const { stdout, stderr } = await work.python(WAITER(id)).ended;
  const got = /^GOT (.*)$/m.exec(stdout)?.[1];
  return got === undefined ? `nothing: ${stderr}` : naiveSaying(work.folder, JSON.parse(got) as NaiveAnswer);
}

async function sendOne(work: PythonWorkspace, { sender, seed, timeoutS }: Schedule): Promise<HandoffId> {
  if (sender === 'python') {
    const ended = await work.python(SENDER(seed, timeoutS)).ended;
    return (/hoff-\d+/.exec(ended.stdout)?.[0] ?? ended.stderr) as HandoffId;
  }
  const terms = ['--timeout', `${timeoutS}s`, '--retries', '50', '--retry-delay', '0s'];
  const sent = await work.baton(['send', '--from', '@me', '--to', `@s${seed}`, '--input', '{"n":1}', ...terms]);
  if (sent.code !== 0) throw new Error(sent.stderr);
  return sent.stdout.trim() as HandoffId;
}

interface Answer {
  readonly result?: unknown;
  readonly failure?: { readonly message: string };
}

type NaiveAnswer =
  | { readonly kind: 'result'; readonly output: { readonly artifact_id: string; readonly artifact_path: string } }
  | { readonly kind: 'failure'; readonly says: string };

/** An answer of ours is the content of the artifact that the file names. */
function naiveSaying(folder: string, answer: NaiveAnswer): string {
  if (answer.kind === 'failure') return answer.says;
  const { artifact_id: artifact, artifact_path: path } = answer.output;
  if (/^s\d+-w\d-\d+$/.test(artifact)) return artifact;
  return (JSON.parse(readFileSync(join(folder, path), 'utf8')) as { readonly content: string }).content;
}

/** As the database has it, and as `baton wait --json` prints it. */
function sayingOf({ failure, result }: Answer): string {
  if (failure !== undefined) return failure.message;
  const { artifact_id: artifact } =
    ((result ?? {}) as { readonly output?: { readonly artifact_id?: string } }).output ?? {};
  return artifact ?? String(result);
}

function wrongIn({ schedule, id, answers, winner, waited, naive }: End, aside: ReadonlyMap<string, string>): string[] {
  const shown = `BATON_PYTHON_SEED=${schedule.seed} (${id})`;
  const wrong: string[] = [];
  if (waited !== winner) wrong.push(`${shown}: baton wait got ${waited}, the database says ${winner}`);
  // Nobody can hide what a late worker has just written: then somebody did write it, and it is put aside as told below.
  if (naive !== winner && !answers.includes(naive)) wrong.push(`${shown}: whoever waited got ${naive}, ${winner} won`);
  if (winner !== OURS && !answers.includes(winner)) wrong.push(`${shown}: nobody answered ${winner}`);
  for (const answer of answers.filter((each) => each !== winner)) {
    const kept = [...aside].find(([name, text]) => name.startsWith(id) && text.includes(answer));
    const reason = kept === undefined ? undefined : aside.get(`${kept[0]}.reason.txt`);
    if (reason === undefined) wrong.push(`${shown}: ${answer} is lost; ${winner} won`);
  }
  return wrong;
}

function textsIn(folder: string): ReadonlyMap<string, string> {
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
