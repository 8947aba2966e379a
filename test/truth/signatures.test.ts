/** Signatures of agents over their moves: what they prove without a database, and every way to lie about them. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import type { JsonObject } from '../../src/foundation/json.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import type { Principal } from '../../src/domain/principal.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { activate } from '../../src/engine/handoffs/activate.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { requestRework, verify } from '../../src/engine/handoffs/verify.ts';
import { checkDocument } from '../../src/engine/signatures.ts';
import { auditExport } from '../../src/engine/transfer/offline-audit.ts';
import { editDocument, type DocumentChanges } from '../../src/formats/document/edit.ts';
import { readDocument } from '../../src/formats/document/read.ts';
import { addKey, endKey, keysIn, type KeyRecord } from '../../src/workspace/agent-keys.ts';
import { withSigner } from '../../src/workspace/signing-key.ts';
import { quickBaton, tempFolder } from '../support/processes.ts';
import { exported, imported, memoryStore } from '../transfer/sample.ts';
import { forged, type Line } from './forged-export.ts';
import { local, LOCAL, named, proven, truthWorld, type TruthWorld } from './world.ts';

function newKey(): string {
  const path = join(tempFolder(), 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', path]);
  return path;
}

async function registered(world: TruthWorld, agent: string, path: string): Promise<KeyRecord> {
  const text = readFileSync(`${path}.pub`, 'utf8');
  const added = await addKey(world.ctx.store, named(agent), text, 'operator');
  await world.ctx.rules.refresh();
  return present(typeof added === 'string' ? null : added, 'a new key');
}

function signing(world: TruthWorld, principal: Principal, path: string): Principal {
  const answer = withSigner(world.ctx.rules, principal, path);
  if (!answer.ok) throw new Error(answer.refusal.says);
  return answer.value;
}

interface Signed {
  readonly world: TruthWorld;
  readonly id: HandoffId;
  readonly keys: Readonly<Record<'dev' | 'qa', KeyRecord>>;
  readonly paths: Readonly<Record<'dev' | 'qa', string>>;
}

/** A document: sent by pm, who has no key; delivered by dev and verified by qa, who sign. */
async function signedDocument(configuration = ''): Promise<Signed> {
  const world = await truthWorld(`${LOCAL}verifiers: [qa]\nfolders: { documents: on }\n${configuration}`);
  world.write('page.html', 'done');
  const paths = { dev: newKey(), qa: newKey() };
  const keys = {
    dev: await registered(world, 'dev', paths.dev),
    qa: await registered(world, 'qa', paths.qa),
  };
  const dev = signing(world, local('dev'), paths.dev);
  const qa = signing(world, proven('qa'), paths.qa);
  const sent = await send(world.ctx, local('pm'), {
    from: named('pm'),
    to: named('dev'),
    kind: 'document',
    title: 'A "page"\nwith: odd # text',
    task: 'T-1',
    input: { purpose: 'to show' },
    terms: { deliverables: ['page', 'words: odd'], criteria: ['it loads', 'it is short'] },
  });
  const { id } = present(sent.ok ? sent.value : null, 'sent');
  await activate(world.ctx, local('pm'), id);
  await accept(world.ctx, dev, id);
  const evidence = [
    { deliverable: 'page', kind: 'file', value: 'page.html' } as const,
    { deliverable: 'words: odd', kind: 'note', value: '  a note\n\twith spaces: # and "quotes"  ' } as const,
  ];
  const shown = await deliver(world.ctx, dev, { target: id, fence: null, result: null, evidence });
  expect(shown).toMatchObject({ ok: true });
  const criteria = ['it loads', 'it is short'].map((criterion) => ({ criterion, says: 'looked: yes' }));
  expect(await verify(world.ctx, qa, { id, criteria })).toMatchObject({ ok: true });
  return { world, id, keys, paths };
}

/** `deliver good`, `verify forged: …`; what was not signed and not expected to be is left out. */
async function audited(text: string, keys: readonly KeyRecord[]): Promise<readonly string[]> {
  const told: string[] = [];
  const read = await auditExport(
    // eslint-disable-next-line typescript/require-await
    (async function* () {
      yield Buffer.from(text);
    })(),
    keys,
    ({ moves }) => {
      for (const { move, verdict } of moves) if (verdict !== 'unsigned') told.push(`${move} ${verdict}`);
    },
    new AbortController().signal,
  );
  return read.ok ? told : [...told, 'damaged'];
}

async function keysOf({ world }: Signed): Promise<readonly KeyRecord[]> {
  return keysIn(await world.ctx.store.policy.current());
}

/** One life serves many lies: its export, its document and the keys. */
let life: Promise<{ readonly text: string; readonly document: string; readonly keys: readonly KeyRecord[] }> | null =
  null;

function signedLife(): NonNullable<typeof life> {
  life ??= (async () => {
    const signed = await signedDocument();
    const { ctx, folder } = signed.world;
    await ctx.rules.documents?.sync('thorough');
    const month = new Date().toISOString().slice(0, 7).replace('-', '/');
    const document = readFileSync(join(folder, '_handoffs/archived', month, `${signed.id}.md`), 'utf8');
    return { text: (await exported(ctx.store)).text, document, keys: await keysOf(signed) };
  })();
  return life;
}

const detailOf = (line: Line, deed: string): { detail: string } =>
  present(
    line.facts.find((fact) => fact.deed === deed),
    deed,
  );

function changeDetail(line: Line, deed: string, change: (detail: Record<string, unknown>) => void): void {
  const fact = detailOf(line, deed);
  const detail = JSON.parse(fact.detail) as Record<string, unknown>;
  change(detail);
  fact.detail = JSON.stringify(detail);
}

const GOOD = ['accept good', 'deliver good', 'verify good'];

describe('signatures', () => {
  it('an honest export proves who moved, and a copy of it that was imported proves the same', async () => {
    const signed = await signedDocument();
    const { text } = await exported(signed.world.ctx.store);
    expect(await audited(text, await keysOf(signed))).toEqual(GOOD);
    const copy = memoryStore();
    expect(await imported(copy, text, { source: 'a.jsonl' })).toMatchObject({ ok: true });
    expect(await audited((await exported(copy)).text, await keysOf(signed))).toEqual(GOOD);
    // No part of a private key is in the database.
    const secret = readFileSync(signed.paths.qa, 'utf8').split('\n').slice(2, 4).join('');
    expect(text.includes(secret.slice(0, 40))).toBe(false);
  });

  it.each<readonly [lie: string, change: (line: Line) => void, answer: readonly string[]]>([
    [
      'another time',
      (line) => {
        const last = line.facts.at(-1) as { at: number };
        last.at += 1000;
      },
      ['accept good', 'deliver good', 'verify forged'],
    ],
    [
      'other words of the verifier',
      (line) => changeDetail(line, 'verify', (detail) => (detail['notes'] = 'perfect')),
      ['accept good', 'deliver good', 'verify forged'],
    ],
    [
      'a signature that was taken away',
      (line) => changeDetail(line, 'verify', (detail) => delete detail['signed']),
      ['accept good', 'deliver good', 'verify missing'],
    ],
    [
      'a signature of another move',
      (line) => {
        const delivered = (JSON.parse(detailOf(line, 'deliver').detail) as JsonObject)['signed'];
        changeDetail(line, 'verify', (detail) => (detail['signed'] = delivered));
      },
      ['accept good', 'deliver good', 'verify forged'],
    ],
    [
      'another digest of the content',
      (line) => changeDetail(line, 'verify', (detail) => ((detail['signed'] as { content: string }).content = 'x')),
      ['accept good', 'deliver good', 'verify forged'],
    ],
    [
      'a beginning that is not the one before the signed moves',
      (line) => changeDetail(line, 'create', (detail) => (detail['note'] = 'other')),
      ['accept forged', 'deliver forged', 'verify forged'],
    ],
    [
      "the doer's signature in the name of the verifier",
      (line) => {
        for (const fact of line.facts) if (fact.by === '@qa') (fact as { by: string }).by = '@dev';
      },
      ['accept good', 'deliver good', 'verify wrong-agent'],
    ],
  ])('a forged export: %s', async (_lie, change, answer) => {
    const { text, keys } = await signedLife();
    expect(await audited(forged(text, change), keys)).toEqual(answer);
  });

  it('a revoked key proves nothing whatever the date, a retired one what it signed before, an unknown one nothing', async () => {
    const signed = await signedDocument();
    const { store } = signed.world.ctx;
    const { text } = await exported(store);
    const all = await keysOf(signed);
    expect(await audited(text, all.slice(0, 1))).toEqual(['accept good', 'deliver good', 'verify unknown-key']);
    await endKey(store, 'retire', signed.keys.qa.fingerprint, 'operator');
    expect(await audited(text, await keysOf(signed))).toEqual(GOOD);
    const early = all.map((key) => ({ ...key, retiredAt: key.addedAt }));
    expect(await audited(text, early)).toEqual(['accept retired', 'deliver retired', 'verify retired']);
    await endKey(store, 'revoke', signed.keys.qa.fingerprint, 'operator');
    expect(await audited(text, await keysOf(signed))).toEqual(['accept good', 'deliver good', 'verify revoked']);
    // Its owner signs no more, and neither does anybody else.
    await signed.world.ctx.rules.refresh();
    expect(withSigner(signed.world.ctx.rules, local('qa'), signed.paths.qa)).toMatchObject({ ok: false });
    expect(withSigner(signed.world.ctx.rules, local('qa'), signed.paths.dev)).toMatchObject({ ok: false });
    const history = await store.policy.history(10);
    expect(history.map(({ policy }) => keysIn({ policy } as never).length)).toEqual(
      expect.arrayContaining([1, 2]) as unknown,
    );
  });

  it('what was delivered before a rework stays signed, and moves with a secret in them are not', async () => {
    const world = await truthWorld();
    world.write('page.html', 'done');
    const path = newKey();
    const key = await registered(world, 'dev', path);
    const dev = signing(world, local('dev'), path);
    const handoff = await world.ask();
    await world.deliver(handoff, [{ kind: 'file', value: 'page.html' }], dev);
    const sentBack = await requestRework(world.ctx, local('qa'), handoff.id, 'again');
    const { fence } = present(sentBack.ok ? sentBack.value : null, 'sent back');
    world.write('other.html', 'better');
    const evidence = [
      { deliverable: 'page', kind: 'file', value: 'other.html' } as const,
      { deliverable: 'page', kind: 'note', value: `AKIA${'ABCDEFGHIJ234567'}` } as const,
    ];
    const again = await deliver(world.ctx, dev, { target: handoff.id, fence, result: null, evidence });
    expect(again).toMatchObject({ ok: true });
    expect(await audited((await exported(world.ctx.store)).text, [key])).toEqual([
      'accept missing',
      'deliver good',
      'deliver missing',
    ]);
  });

  it.each<readonly [lie: string, changes: DocumentChanges, answer: readonly string[]]>([
    ['nothing is changed', {}, ['create unsigned', 'deliver good', 'verify good']],
    ['other criteria', { verification_criteria: ['nothing'] }, ['create unsigned', 'deliver forged', 'verify forged']],
    ['another title', { title: 'Another' }, ['create unsigned', 'deliver forged', 'verify forged']],
    [
      'other evidence',
      { deliverable_status: [{ deliverable: 'page', status: 'claimed', evidence: ['note:x'] }] },
      ['create unsigned', 'deliver forged', 'verify forged'],
    ],
    [
      'other words about a criterion',
      { criteria_checks: [{ criterion: 'it loads', status: 'met', says: 'perfect' }] },
      ['create unsigned', 'deliver good', 'verify forged'],
    ],
    ['another verifier', { completion_verified_by: 'cto' }, ['create unsigned', 'deliver good', 'verify wrong-agent']],
    ['no signature', { completion_signature: null }, ['create unsigned', 'deliver good', 'verify missing']],
  ])('a document, checked alone: %s', async (_lie, changes, answer) => {
    const { document, keys } = await signedLife();
    const { fields, problems } = readDocument(editDocument(document, changes));
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const moves = checkDocument(fields, keys);
    expect(moves.map(({ move, verdict }) => `${move} ${verdict}`)).toEqual(answer);
  });

  it('the command signs with BATON_KEY_FILE, and audit --offline needs no workspace', async () => {
    const folder = tempFolder();
    const elsewhere = tempFolder();
    const [path, stranger] = [newKey(), newKey()];
    const run = (args: readonly string[], env: Record<string, string> = {}): ReturnType<typeof quickBaton> =>
      quickBaton([...args, '--workspace', folder], { env });
    writeFileSync(join(folder, 'baton.yaml'), '');
    const key = readFileSync(`${path}.pub`, 'utf8').trim();
    expect(await run(['key', 'add', '@pm', key, '--as', 'operator'])).toMatchObject({ code: 0 });
    const sending = ['send', '--from', '@pm', '--to', '@dev', '--json'];
    expect(await run(sending, { BATON_KEY_FILE: path })).toMatchObject({ code: 0 });
    const refusals = [
      await run(sending, { BATON_KEY_FILE: stranger }),
      await run(['send', '--from', '@dev', '--to', '@pm'], { BATON_KEY_FILE: path }),
      await run(sending, { BATON_KEY_FILE: join(elsewhere, 'none') }),
    ];
    chmodSync(stranger, 0o644);
    refusals.push(await run(sending, { BATON_KEY_FILE: stranger }));
    expect(refusals.map(({ code }) => code)).toEqual([4, 4, 4, 4]);
    expect(refusals.map(({ stderr }) => stderr).join('\n')).toMatch(
      /is not registered[\s\S]*is one of @pm[\s\S]*cannot be read[\s\S]*chmod 600/,
    );
    const [file, keys] = [join(elsewhere, 'all.jsonl'), join(elsewhere, 'keys.json')];
    expect(await run(['export', file])).toMatchObject({ code: 0 });
    writeFileSync(keys, (await run(['key', 'list', '--json'])).stdout);
    const audit = ['audit', '--offline', file, '--keys', keys];
    expect(await quickBaton(audit, { cwd: elsewhere })).toMatchObject({ code: 0, stdout: 'moves of agents: 1 good\n' });
    writeFileSync(
      file,
      forged(readFileSync(file, 'utf8'), (line) => {
        for (const fact of line.facts) (fact as { at: number }).at += 1;
      }),
    );
    const lied = await quickBaton(audit, { cwd: elsewhere });
    expect(lied.code).toBe(8);
    expect(lied.stdout).toMatch(/create by @pm at .*: FORGED: the signature with SHA256:\S+ does not fit this move/);
    expect(await quickBaton(['audit', '--offline', file], { cwd: elsewhere })).toMatchObject({ code: 2 });
  });
});
