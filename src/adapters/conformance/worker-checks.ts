/** What a worker has to do. */
import { hasOutcome } from '../../formats/queue-message/read.ts';
import type { JsonObject } from '../../foundation/json.ts';
import { aRequest, outputSummary, type TestQueue } from './test-queue.ts';
import type { ConformanceCheck } from './queue-conformance.ts';

const AGENT = '@counter';
const RACERS = 3;
const RACED = 9;

export const WORKER_CHECKS: readonly ConformanceCheck[] = [
  {
    name: 'answer',
    expects: 'moves the file through in-progress/ to an end, with status, answer and every field it found',
    async run(bench) {
      bench.put('pending', 'one', aRequest('one', AGENT));
      const done = await bench.run('work', AGENT);
      if (done.code !== 0) return outputSummary(done);
      return problemInEnd(bench, 'one');
    },
  },
  {
    name: 'others',
    expects: 'leaves alone what is for other agents, hidden, or not whole yet',
    async run(bench) {
      bench.put('pending', 'other', aRequest('other', '@somebody-else'));
      bench.write('pending', 'half.json', '{"handoff_id": "half", "target": {"agent_id": "@counter"');
      bench.write('pending', '.draft.json', JSON.stringify(aRequest('.draft', AGENT)));
      bench.put('pending', 'mine', aRequest('mine', AGENT));
      const done = await bench.run('work', AGENT);
      if (done.code !== 0) return `half a file in pending/: ${outputSummary(done)}`;
      for (const name of ['other', 'half']) {
        const [place] = bench.places(name);
        if (place !== 'pending') return `it took ${name}.json, which was not for it or not whole`;
      }
      return problemInEnd(bench, 'mine');
    },
  },
  {
    name: 'race',
    expects: `${RACERS} workers at the same time do ${RACED} requests, each once, and none fails for a lost rename`,
    async run(bench) {
      for (let at = 0; at < RACED; at += 1) bench.put('pending', `r${at}`, aRequest(`r${at}`, AGENT));
      const taken = new Map<string, number>();
      bench.watch('completed', (name) => taken.set(name, (taken.get(name) ?? 0) + 1));
      const ended = await Promise.all(Array.from({ length: RACERS }, async () => bench.run('work', AGENT)));
      const failed = ended.find(({ code }) => code !== 0);
      if (failed !== undefined) return `a worker that lost a race failed: ${outputSummary(failed)}`;
      for (let at = 0; at < RACED; at += 1) {
        const flaw = problemInEnd(bench, `r${at}`);
        if (flaw !== null) return flaw;
      }
      return null;
    },
  },
  {
    name: 'whole answers',
    expects: 'writes the answer before it moves the file to its end',
    async run(bench) {
      let isEarly = false;
      for (const place of ['completed', 'failed'] as const) {
        bench.watch(place, (name) => {
          if (name.startsWith('.') || !bench.names(place).includes(name)) return;
          const fields = bench.read(place, name.slice(0, -'.json'.length));
          if (fields === null || !hasOutcome({ fields }, place)) isEarly = true;
        });
      }
      bench.put('pending', 'one', aRequest('one', AGENT));
      await bench.run('work', AGENT);
      return isEarly
        ? { warning: 'the file was at its end before it had its answer: naive waiters read it too early' }
        : null;
    },
  },
  {
    name: 'crash',
    expects: 'after a worker was killed in the middle, the next one does the rest',
    async run(bench) {
      for (const id of ['first', 'second']) bench.put('pending', id, aRequest(id, AGENT));
      const { child, ended } = bench.start('work', AGENT);
      bench.watch('in-progress', () => void child.kill('SIGKILL'));
      await ended;
      const again = await bench.run('work', AGENT);
      if (again.code !== 0) return `a file that a dead worker left in in-progress/: ${outputSummary(again)}`;
      return bench.names('pending').length === 0 ? null : 'what is left in pending/ was not done';
    },
  },
  {
    name: 'late answer',
    expects: 'does not bring back a file that was taken away from it because its time was over',
    async run(bench) {
      bench.put('pending', 'late', aRequest('late', AGENT));
      const { child, ended } = bench.start('work', AGENT);
      let isTakenAway = false;
      bench.watch('in-progress', (name) => {
        if (isTakenAway || name !== 'late.json' || bench.read('in-progress', 'late') === null) return;
        child.kill('SIGSTOP');
        // What Baton does when the time of a foreign worker is over.
        isTakenAway = bench.move('late', 'in-progress', 'pending');
        if (isTakenAway) bench.put('pending', 'late', aRequest('late', '@somebody-else', { retry_count: 1 }));
        child.kill('SIGCONT');
      });
      await ended;
      if (!isTakenAway) return null;
      const ends = bench.places('late').filter((place) => place !== 'pending');
      return ends.length === 0
        ? null
        : {
            warning: `late.json was taken away from it and is in ${ends.join(' and ')}/ again: such answers do not count`,
          };
    },
  },
];

function problemInEnd(bench: TestQueue, id: string): string | null {
  const places = bench.places(id);
  const [place] = places;
  if (places.length !== 1 || (place !== 'completed' && place !== 'failed')) {
    return `${id}.json is in ${places.length === 0 ? 'no folder' : places.join(' and ')} after its work`;
  }
  const fields = bench.read(place, id);
  if (fields === null) return `${place}/${id}.json is not a JSON object`;
  const flaw = problemInFields(fields, place);
  return flaw === null ? null : `${place}/${id}.json: ${flaw}`;
}

function problemInFields(fields: JsonObject, place: 'completed' | 'failed'): string | null {
  if (fields['status'] !== place) return `its status is ${JSON.stringify(fields['status'] ?? null)}, not "${place}"`;
  if (!hasOutcome({ fields }, place)) return place === 'completed' ? 'it has no output' : 'it has no error';
  const lost = ['handoff_id', 'source', 'target', 'input', 'x_kept'].filter((name) => fields[name] === undefined);
  return lost.length === 0 ? null : `the fields ${lost.join(', ')} of the request are lost`;
}
