import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isDraft, writeDurably, writeAtomically } from '../../src/foundation/atomic-file.ts';
import { ownJudge, placeOf } from '../../src/foundation/process-identity.ts';
import { tempFolder } from '../support/processes.ts';

const WRITERS = [
  ['writeWhole', writeAtomically],
  ['writeWhole, durably', (path, text, options = {}) => writeAtomically(path, text, { ...options, durably: true })],
  ['writeDurably', writeDurably],
] as const satisfies readonly (readonly [
  string,
  (path: string, text: string, options?: Parameters<typeof writeAtomically>[2]) => boolean | Promise<boolean>,
])[];

describe.each(WRITERS)('%s', (_name, write) => {
  it('takes the place of what was there, and of a link without following it', async () => {
    const folder = tempFolder();
    const [path, elsewhere] = [join(folder, 'x'), join(tempFolder(), 'mine')];
    writeFileSync(elsewhere, 'mine');
    symlinkSync(elsewhere, path);
    expect(await write(path, 'new')).toBe(true);
    expect(lstatSync(path).isFile()).toBe(true);
    expect(await write(path, 'newer')).toBe(true);
    expect([readFileSync(path, 'utf8'), readFileSync(elsewhere, 'utf8')]).toEqual(['newer', 'mine']);
    expect(readdirSync(folder)).toEqual(['x']);
  });

  it('leaves the file as it is where it may not replace it, or is told at the last moment not to', async () => {
    const folder = tempFolder();
    const path = join(folder, 'x');
    expect(await write(path, 'first', { replace: false })).toBe(true);
    expect(await write(path, 'second', { replace: false })).toBe(false);
    let drafts: readonly string[] = [];
    const isWanted = (): boolean => {
      drafts = readdirSync(folder).filter(isDraft);
      return false;
    };
    expect(await write(path, 'third', { shouldReplace: isWanted })).toBe(false);
    expect(drafts).toHaveLength(1);
    expect([readFileSync(path, 'utf8'), ...readdirSync(folder)]).toEqual(['first', 'x']);
  });

  it('gives exactly the mode that is asked for, whatever the mask', async () => {
    const path = join(tempFolder(), 'x');
    await write(path, 'text', { mode: 0o666 });
    expect(statSync(path).mode & 0o777).toBe(0o666);
  });

  it('leaves no draft where it fails, and names the file', async () => {
    const folder = tempFolder();
    const path = join(folder, 'x');
    mkdirSync(path);
    await expect((async () => write(path, 'text'))()).rejects.toThrow(`could not write ${path}`);
    await expect((async () => write(join(folder, 'none', 'x'), 'text'))()).rejects.toThrow('could not write');
    expect(readdirSync(folder)).toEqual(['x']);
  });

  it('removes what killed processes have begun of the same file, and nothing that may still be written', async () => {
    const folder = tempFolder();
    const { self } = ownJudge();
    const here = placeOf(self);
    // No process has such a number.
    const dead = [
      `.x.${here}-99999999-1.draft`,
      `.x.${here}-99999999-1-7.draft`,
      `.x.${here}-${process.pid}-1-7.draft`,
    ];
    const old = '.x.0123456789abcdef-1-1-2.draft';
    const kept = [
      `.x.${here}-${process.pid}-${self.startedAt}-0.draft`,
      '.x.0123456789abcdef-1-1-1.draft',
      `.y.${here}-99999999-1.draft`,
      '.x.notes',
    ];
    for (const name of [...dead, old, ...kept]) writeFileSync(join(folder, name), 'half');
    utimesSync(join(folder, old), 0, 0);
    await write(join(folder, 'x'), 'whole');
    expect(readdirSync(folder).toSorted()).toEqual([...kept, 'x'].toSorted());
  });

  it('leaves a folder of drafts to its owner', async () => {
    const [folder, drafts] = [tempFolder(), tempFolder()];
    const path = join(folder, 'x');
    const dead = `.x.${placeOf(ownJudge().self)}-99999999-1.draft`;
    writeFileSync(join(drafts, dead), 'half');
    let seen: readonly string[] = [];
    await write(path, 'whole', {
      draftFolder: drafts,
      shouldReplace: () => {
        seen = readdirSync(drafts);
        return !existsSync(path);
      },
    });
    expect([seen.length, readdirSync(drafts), readdirSync(folder)]).toEqual([2, [dead], ['x']]);
  });
});
