/** ARCHITECTURE.md names the files that three requests cross. The test takes each walk and asks V8 which files it crossed. */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openBaton } from '../../src/index.ts';
import { tempFolder } from '../support/processes.ts';
import { scriptedWorld } from '../succession/scripted-world.ts';

const BLOCK = `# Done

\`\`\`yaml
handoff:
  from: "@research"
  to: "@planning"
  phase: Research
  status: complete
  context:
    task: "task-1"
\`\`\`
`;

const WALKS: Readonly<Record<string, () => Promise<void>>> = {
  'Send, claim, complete': async () => {
    const baton = await openBaton({ database: newDatabase() });
    const sent = await baton.send({ from: '@frontend', to: '@react', input: { component: 'UserProfile' } });
    baton.work('@react', () => Promise.resolve({ files: [] }));
    expect(await sent.result()).toEqual({ files: [] });
    await baton.close();
  },
  'A summary leads to the next leg': async () => {
    const baton = await openBaton({ database: newDatabase() });
    expect(await baton.ingest({ text: BLOCK, file: 'summary.md' })).toHaveLength(1);
    await baton.close();
  },
  'An agent passes its session on': async () => {
    const world = scriptedWorld();
    const { id } = await world.start();
    expect((await world.begin(id)).ok).toBe(true);
    expect(await world.advance(id)).toBe('over');
  },
};

it.each(Object.keys(WALKS))('%s: crosses every file that ARCHITECTURE.md names', async (title) => {
  const named = filesOf(title);
  expect(named.length).toBeGreaterThan(8);
  const crossed = await filesCrossedBy(WALKS[title] as () => Promise<void>);
  expect(named.filter((file) => !crossed.has(file))).toEqual([]);
});

it('names no walk that is not taken', () => {
  const titles = [...walksText().matchAll(/^\*\*(.+?)\*\*/gm)].map(([, title]) => title);
  expect(titles).toEqual(Object.keys(WALKS));
});

function walksText(): string {
  const text = readFileSync('ARCHITECTURE.md', 'utf8');
  return /^## Three walks\n(.*?)^## /ms.exec(text)?.[1] ?? '';
}

/** Paths of files; `interfaces/cli/` is a folder. */
function filesOf(title: string): readonly string[] {
  const walk = walksText().split(`**${title}**`)[1]?.split('\n**')[0] ?? '';
  return [...walk.matchAll(/`([a-z/-]+\.ts)`/g)].map(([, file = '']) => file);
}

async function filesCrossedBy(walk: () => Promise<void>): Promise<ReadonlySet<string>> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await walk();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const called = result.filter(({ functions }) =>
      functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
    );
    return new Set(called.map(({ url }) => url.split('/src/').at(-1) ?? ''));
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

function newDatabase(): string {
  return join(tempFolder(), 'baton.db');
}
