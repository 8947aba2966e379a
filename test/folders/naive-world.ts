/** A queue folder that is kept while programs of strangers work in it: the specification's own Python, and `mv` with `jq`. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/foundation/json.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { folderDuty } from '../../src/engine/queue/folder-duty.ts';
import type { WorkspaceRules } from '../../src/engine/context.ts';
import { codeBlocks } from '../formats/queue-message/messages.ts';
import { start, until, type Running } from '../support/processes.ts';
import { queueWorld, type QueueWorld } from './queue-world.ts';

const run = promisify(execFile);

export interface NaiveWorld extends QueueWorld {
  readonly python: (program: string) => Running;
  readonly sh: (program: string) => Promise<string>;
  /** Comes back when the handoff has this state. */
  readonly reaches: (id: string, ...states: readonly string[]) => Promise<void>;
  readonly result: (id: string) => Promise<Outcome | null>;
  /** The first file in quarantine whose name begins so, and its reason. */
  readonly loser: (id: string) => { readonly reason: string; readonly fields: JsonObject } | null;
}

/** What the specification's functions use and do not define, and a pause between moving a file and writing it. */
const AROUND = `
import os, sys, json, time, shutil
class HandoffFailedException(Exception):
    pass
class HandoffTimeoutException(Exception):
    pass
GENERATE = lambda data: {"id": "artifact-py", "path": "artifacts/phase-13-react/artifact-py.json"}
def generate_react_components(data):
    return GENERATE(data)
PAUSE = 0
moved = shutil.move
def move_slowly(source, target):
    moved(source, target)
    time.sleep(PAUSE)
shutil.move = move_slowly
`;

export async function naiveWorld(rules?: WorkspaceRules, isKept = true): Promise<NaiveWorld> {
  const world = await queueWorld(undefined, undefined, rules, { isReal: true });
  const { folder, ctx, queue } = world;
  mkdirSync(join(folder, 'lib'));
  writeFileSync(join(folder, 'lib/handoff.py'), `${codeBlocks('python').join('\n\n')}\n${AROUND}`);
  if (isKept) {
    const keeper = folderDuty(ctx, queue, 'queue');
    const looking = setInterval(keeper.poll, 50);
    onTestFinished(async () => {
      clearInterval(looking);
      await keeper.end();
    });
  }
  return {
    ...world,
    python: (program) =>
      start('python3', ['-W', 'ignore', '-c', `import handoff, os, json, time\n${program}`], {
        cwd: folder,
        env: { PYTHONPATH: join(folder, 'lib'), PYTHONDONTWRITEBYTECODE: '1' },
      }),
    sh: async (program) => (await run('sh', ['-euc', program], { cwd: folder })).stdout,
    reaches: async (id, ...states) => {
      await until(`${id} is ${states.join(' or ')}`, async () => states.includes((await world.state(id)) ?? ''));
    },
    result: async (id) => {
      const { outcome } = await world.whole(id);
      return outcome === null ? null : (JSON.parse(outcome) as Outcome);
    },
    loser: (id) => {
      const name = world.quarantined().find((each) => each.startsWith(id) && !each.endsWith('.reason.txt'));
      if (name === undefined) return null;
      const path = join(folder, 'handoffs/quarantine', name);
      return {
        reason: readFileSync(`${path}.reason.txt`, 'utf8'),
        fields: JSON.parse(readFileSync(path, 'utf8')) as JsonObject,
      };
    },
  };
}
