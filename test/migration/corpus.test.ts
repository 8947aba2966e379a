import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { findFiles } from '../../src/adapters/migration/find-files.ts';
import { scan } from '../../src/adapters/migration/scan.ts';
import { bundledFiles, composedHandoffs, misplacedHandoffs, type LabelledFile } from '../support/legacy-corpus.ts';

const PRECISION_MIN = 0.98;
const RECALL_MIN = 0.95;
const FILES_MIN = 150;

interface Judged {
  /** `from>to` of those that would be moved, by path. */
  readonly moved: ReadonlyMap<string, string>;
  readonly listed: ReadonlySet<string>;
}

const CORPORA = {
  tuned: [...bundledFiles('handoffs'), ...composedHandoffs(), ...bundledFiles('others'), ...misplacedHandoffs()],
  'held-out': bundledFiles('held-out'),
};

describe.each(Object.entries(CORPORA))('D14: what is a handoff, on the %s corpus', (_name, files) => {
  let judged: Judged;

  beforeAll(async () => {
    judged = await judge(files);
  });

  it('precision: what is moved is a handoff', () => {
    const wrong = files.filter(({ path, is }) => judged.moved.has(path) && is !== 'handoff').map(({ path }) => path);
    const precision = 1 - wrong.length / judged.moved.size;
    console.log(`precision ${precision.toFixed(3)} of ${judged.moved.size} moved${lines(wrong)}`);
    expect(precision).toBeGreaterThanOrEqual(PRECISION_MIN);
  });

  it('recall: a handoff is moved', () => {
    const handoffs = files.filter(({ is }) => is === 'handoff');
    const missed = handoffs.filter(({ path }) => !judged.moved.has(path)).map(({ path }) => path);
    const recall = 1 - missed.length / handoffs.length;
    console.log(`recall ${recall.toFixed(3)} of ${handoffs.length} handoffs${lines(missed)}`);
    expect(recall).toBeGreaterThanOrEqual(RECALL_MIN);
  });

  it('the parties are those that the text names', () => {
    const other = files.filter(({ path, parties }) => (judged.moved.get(path) ?? parties) !== parties);
    expect(other.map(({ path, parties }) => `${path}: ${judged.moved.get(path)}, not ${parties}`)).toEqual([]);
  });

  it('what is unclear is listed, never moved', () => {
    const unclear = files.filter(({ is }) => is === 'unclear').map(({ path }) => path);
    expect(unclear.filter((path) => judged.moved.has(path))).toEqual([]);
    expect(unclear.filter((path) => !judged.listed.has(path))).toEqual([]);
  });
});

describe('D14: the corpus itself', () => {
  it('has enough files of each kind, and no path twice', () => {
    const files = CORPORA.tuned;
    expect(files.filter(({ is }) => is === 'handoff').length).toBeGreaterThanOrEqual(FILES_MIN);
    expect(files.filter(({ is }) => is === 'other').length).toBeGreaterThanOrEqual(FILES_MIN);
    for (const each of Object.values(CORPORA)) {
      const paths = each.map(({ path }) => path);
      expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([]);
    }
  });
});

/** As `baton migrate` would: by the files of a folder. */
async function judge(files: readonly LabelledFile[]): Promise<Judged> {
  const root = mkdtempSync(join(tmpdir(), 'baton-test-'));
  for (const { path, text } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const terms = { below: '', hasFrom: false, hasTo: false };
  const { candidates, unclear } = await scan({
    root,
    found: await findFiles(root),
    terms,
    progress: () => undefined,
  });
  rmSync(root, { recursive: true, force: true });
  const sure = candidates.filter((each) => each.unclear === null);
  const unsure = candidates.filter((each) => each.unclear !== null);
  return {
    moved: new Map(sure.map(({ path, reading }) => [path, `${reading.sender}>${reading.recipient}`])),
    listed: new Set([...unclear, ...unsure].map(({ path }) => path)),
  };
}

function lines(paths: readonly string[]): string {
  return paths.map((path) => `\n  ${path}`).join('');
}
