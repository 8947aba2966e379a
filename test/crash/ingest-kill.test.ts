/** An ingest that is killed and run again ends in the same trail as one that was not. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstBrokenRevision, type Fact } from '../../src/domain/facts.ts';
import type { Context } from '../../src/engine/context.ts';
import { databases, makeWorkspace, type Workspace } from '../cli/workspaces.ts';
import { summaryProject } from '../support/summary-project.ts';
import { until } from '../support/processes.ts';
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

const KILLS = 4;
const ALL = 10_000;

describe.each(databases)('kill -9 in the middle of an ingest on $name', (database) => {
  it('S4, S9, I5: run again, it ends in the same trail', async () => {
    const { summaries } = summaryProject(11, 120);
    const workspaces = [await makeWorkspace(database), await makeWorkspace(database)] as const;
    for (const { folder } of workspaces) {
      mkdirSync(join(folder, 'told'));
      for (const { name, text } of summaries) writeFileSync(join(folder, 'told', name), text);
    }
    const [whole, killed] = workspaces;
    const args = ['ingest', 'told/*.md', '--project', 'shop'];
    expect(await whole.run(args)).toMatchObject({ code: 0 });
    for (let kill = 1; kill <= KILLS; kill += 1) await killedAfter(killed, args, kill * 17);
    expect(await killed.run(args)).toMatchObject({ code: 0 });
    const [expected, found] = [await trailIn(await whole.open()), await trailIn(await killed.open())];
    expect(found).toEqual(expected);
  });
});

/** Killed when it has told of so many blocks; by then it is at some later one. */
async function killedAfter({ start }: Workspace, args: readonly string[], blocks: number): Promise<void> {
  const running = start(args);
  await until(`${blocks} blocks were told`, () => running.stdout().split('\n').length > blocks);
  running.signal('SIGKILL');
  expect((await running.ended).signal).toBe('SIGKILL');
}

/** Everything but the time: ids of legs follow from what was said. */
async function trailIn({ store }: Context): Promise<readonly unknown[]> {
  const facts = (await store.facts({ max: ALL })).map(({ fact }) => fact);
  const byHandoff = new Map<string, Fact[]>();
  for (const fact of facts) byHandoff.set(fact.handoff, [...(byHandoff.get(fact.handoff) ?? []), fact]);
  for (const trail of byHandoff.values()) expect(firstBrokenRevision(trail)).toBeNull();
  return facts.map(({ handoff, revision, by, deed, from, to, attempt, detail }) => [
    handoff,
    revision,
    by,
    deed,
    from,
    to,
    attempt,
    detail,
  ]);
}
