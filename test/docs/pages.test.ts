/** What the pages written by hand say, held against what is there: commands run, code compiles, keys and names exist. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { openBaton } from '../../src/index.ts';
import { openTestBaton } from '../../src/testing.ts';
import { readConfiguration } from '../../src/workspace/configuration.ts';
import { makingCertificates, WITHOUT_OPENSSL } from '../support/certificates.ts';
import { privatePgBouncer, WITHOUT_PGBOUNCER } from '../support/private-pgbouncer.ts';
import { privatePostgres, WITHOUT_POSTGRES, type PrivatePostgres } from '../support/private-postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { built } from '../support/built.ts';
import { tempFolder } from '../support/processes.ts';
import { blocksOf, follow } from './run-page.ts';
import { ROOT } from '../support/source-files.ts';

const CONFIGURATION = 'docs/reference/configuration.md';
const LIBRARY = 'docs/reference/library.md';
const POSTGRESQL = 'docs/operations/postgresql.md';
const MOVE_COMMANDS = 'docs/guides/backup-and-move.md';
/** The address that the pages use where readers put their own. */
const ADDRESS = 'postgres://baton@db.internal/baton';

let server: PrivatePostgres | null = null;
afterAll(async () => server?.remove());

describe('the guides', () => {
  it('never lose a session: the ritual by hand can be followed to its end (X3)', async () => {
    // Nobody writes on for ten seconds here.
    const quickly = (script: string): string =>
      script.replace('baton init', "baton init && printf 'succession: { quiet_seconds: 0.5 }\\n' >> baton.yaml");
    const { stdout } = await follow('docs/guides/never-lose-a-session.md', { rewrite: quickly });
    expect(stdout).toMatch(/your predecessor, agent 1 \(dev\).*sha256 [0-9a-f]{64}/);
  });

  it('verified work can be followed to its end', async () => {
    const { stdout, stderr } = await follow('docs/guides/verified-work.md');
    expect(stdout).toContain('verify   → completed  @qa');
    expect(stdout.match(/refused, exit code 4/g)).toHaveLength(3);
    // In words that depend on whether a container runtime is installed.
    expect(stderr).toMatch(/evidence: \{ commands: (?:allow|sandbox) \}/);
    expect(stderr).toContain('@dev is the doer');
    expect(stderr).toContain('not checked yet: works on a phone');
  });

  it('migrating can be followed to its end (D14)', async () => {
    const { stdout } = await follow('docs/guides/migrate.md');
    expect(stdout).toContain('1 to migrate, 0 to clear, 0 in conflict, 0 unclear');
    expect(stdout).toContain('1 migrated, 1 task made, 2 old files cleared');
    expect(stdout.match(/0 migrated, 0 tasks made, 0 old files cleared/g)).toHaveLength(2);
    expect(stdout).toMatch(/handoff-ivy-basil-BPRD-2026-0001-20260304 +\S* *offered/);
  });

  it('tokens can be followed to its end', async () => {
    const { stdout, stderr } = await follow('docs/guides/tokens.md');
    expect(stdout.match(/refused, exit code 4/g)).toHaveLength(4);
    expect(stdout).toMatch(/hoff-\S+ completed\n/);
    expect(stdout).toMatch(/^tok-\w+ revoked$/m);
    expect(stdout).toMatch(/revoked +tok-\w+ +operator with tok-\w+/);
    expect(stdout).toMatch(/baton_\S+\n$/);
    expect(stderr).toContain('does not allow to write');
    expect(stderr).toContain('has made an operator token without showing one');
  });

  it('notifications can be followed to its end', async () => {
    const { stdout, stderr } = await follow('docs/guides/notifications.md');
    expect(stdout).toContain('“Login page”');
    expect(stderr).toContain('nothing new for @dev');
  });

  it('artifacts can be followed to its end', async () => {
    const { stdout, stderr } = await follow('docs/guides/artifacts.md');
    expect(stdout).toContain('refused, exit code 4');
    expect(stderr).toContain('src/Profile.tsx: it is not there');
    expect(stderr).toContain('src/Profile.tsx: its content is not what was registered');
    expect(stdout).toContain('stack-1  deprecated → archived');
    expect(stdout).toContain('stack-1  archived, stays: something that is in use requires it');
  });

  it('D5, D10, D11, D13: handoffs in a repository can be followed to its end', async () => {
    const { stdout, stderr } = await follow('docs/guides/handoffs-in-a-repository.md');
    expect(stdout.match(/refused, exit code 4/g)).toHaveLength(2);
    expect(stdout.match(/kept out, exit code [15]/g)).toEqual(['kept out, exit code 1', 'kept out, exit code 5']);
    expect(stdout).toMatch(/^_agents\/claude\/_handoffs\/\S+\.md:1:1: a handoff outside of _handoffs\//m);
    expect(stdout).toMatch(/^_handoffs\/active\/\S+_063331\.md:1:1: the name of a copy/m);
    expect(stdout).toContain('escalated');
    expect(stdout).toMatch(/refused, exit code 6\n$/);
    expect(stderr).toContain('@grok has 1 of 1 outgoing handoffs open');
  });

  it('backup and moving can be followed to its end, to PostgreSQL and back', async ({ skip }) => {
    server = await sharedPostgres();
    if (server === null) return skip(WITHOUT_POSTGRES);
    const address = await server.createDatabase('moved');
    const { stdout } = await follow(MOVE_COMMANDS, { rewrite: (script) => script.replaceAll(ADDRESS, address) });
    expect(stdout.match(/imported 1 handoff; checksum/g)).toHaveLength(2);
    expect(stdout.match(/^ok +trails: /gm)).toHaveLength(2);
  });

  it('PostgreSQL can be followed to its end, with TLS and behind a pooler', async ({ skip }) => {
    const making = await makingCertificates();
    if (making === null) return skip(WITHOUT_OPENSSL);
    onTestFinished(() => making.remove());
    const authority = making.authority('company');
    const certificate = making.signedBy(authority, 'db', 'DNS:localhost');
    const encrypted = await privatePostgres({ fsync: true, encrypted: { certificate, authority } });
    if (encrypted === null) return skip(WITHOUT_POSTGRES);
    onTestFinished(() => encrypted.remove());
    const pooler = await privatePgBouncer(encrypted, { poolSize: 2, users: ['baton'] });
    if (pooler === null) return skip(WITHOUT_PGBOUNCER);
    onTestFinished(() => pooler.remove());

    const [made = '', ...later] = blocksOf(POSTGRESQL, 'sql');
    for (const statement of made.trim().split('\n')) await encrypted.sql().unsafe(statement);
    const { stdout } = await follow(POSTGRESQL, {
      rewrite: (script) =>
        script
          .replace('db.internal', `localhost:${new URL(encrypted.url()).port}`)
          .replace('/etc/ssl/company-ca.pem', authority.certPath)
          .replace('pooler.internal:6432', new URL(pooler.through(encrypted.url())).host),
    });
    expect(stdout).toMatch(/^ok +database/m);
    expect(stdout).toMatch(/@react.*offered|offered.*@react/);

    await encrypted.sql('baton').unsafe(later.join('\n'));
    const theirs = await openBaton({ database: encrypted.url('baton').replace('postgres@', 'worker@') });
    onTestFinished(() => theirs.close());
    expect(await theirs.send({ from: '@me', to: '@react', input: 1 })).toMatchObject({ state: 'offered' });
  });

  it('running a server can be followed to its end', async () => {
    const { stdout, stderr } = await follow('docs/operations/serve.md');
    expect(stdout).toContain('"from":"@me","to":"@react"');
    expect(stdout).toContain('refused, exit code 4');
    expect(stderr).toMatch(/served already at .*\n.*\/login\?code=/);
    for (const block of blocksOf('docs/operations/serve.md', 'yaml')) {
      expect(() => readConfiguration(written(block))).not.toThrow();
    }
  });

  it('notifications quotes the signature check that the example runs', () => {
    const example = readFileSync(join(ROOT, 'examples/webhook.mjs'), 'utf8');
    const [, checked] = /^\/\/ begin: signature\n(.*)^\/\/ end: signature$/ms.exec(example) ?? [];
    expect(blocksOf('docs/guides/notifications.md', 'js')).toEqual([checked]);
  });

  it('notifications configures only what can be configured', () => {
    const blocks = blocksOf('docs/guides/notifications.md', 'yaml');
    expect(blocks).toHaveLength(3);
    for (const block of blocks) expect(() => readConfiguration(written(block))).not.toThrow();
  });
});

describe('the page of the configuration', () => {
  const [example = ''] = blocksOf(CONFIGURATION, 'yaml');

  it('has an example that can be read', () => {
    const { identity, verifiers, evidence, notifications } = readConfiguration(written(example));
    expect({ identity, verifiers, evidence }).toEqual({
      identity: 'local',
      verifiers: ['qa', 'lead'],
      evidence: { commands: 'allowed', timeoutMs: 120_000 },
    });
    expect(notifications.webhooks).toHaveLength(1);
  });

  it('names every key that the schema has, and its example uses it', () => {
    const page = readFileSync(join(ROOT, CONFIGURATION), 'utf8');
    const keys = keysIn(publishedSchema());
    expect(keys.length).toBeGreaterThan(25);
    expect(keys.filter((key) => !page.includes(`\`${key}`) && !page.includes(`.${key}\``))).toEqual([]);
    expect(keys.filter((key) => !new RegExp(`\\b${key}:`).test(example))).toEqual([]);
  });
});

describe('the published schema', () => {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  formats.default(ajv);

  it('compiles without a complaint, takes the example and refuses what the house refuses', () => {
    const isFine = ajv.compile(publishedSchema());
    expect(isFine(parse(blocksOf(CONFIGURATION, 'yaml')[0] ?? ''))).toBe(true);
    const wrongs = ['limts: {}', 'identity: loose', 'lease_seconds: 0', 'agents: { a: { limits: 3 } }'];
    expect(wrongs.filter((wrong) => isFine(parse(wrong)))).toEqual([]);
    for (const wrong of wrongs) expect(() => readConfiguration(written(`${wrong}\n`))).toThrow(/baton\.yaml:1:/);
  });

  it('is in the package', () => {
    const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: readonly string[] };
    expect(files).toContain('schemas');
  });
});

describe('the page of the library', () => {
  beforeAll(() => built('library'));

  it('has only code that compiles, and the compiler would complain', () => {
    const blocks = blocksOf(LIBRARY, 'ts');
    expect(blocks.length).toBeGreaterThan(8);
    const wrong = "await baton.send({ from: '@me', too: '@you', input: 1 });";
    expect(complaintsAbout([...blocks, wrong])).toEqual([expect.stringContaining(`block-${blocks.length + 1}.mts: `)]);
  });

  it('names everything that the library has', async () => {
    const page = readFileSync(join(ROOT, LIBRARY), 'utf8');
    const { baton } = await openTestBaton();
    onTestFinished(() => baton.close());
    const methods = Object.keys(baton);
    expect(methods.length).toBeGreaterThan(20);
    const values = [
      'openBaton',
      'BatonRefusal',
      'BatonTimeout',
      'HandoffNotCompleted',
      'HandlerFailure',
      'LIFECYCLE',
      'agent',
    ];
    expect([...methods, ...values].filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
  });
});

function written(text: string): string {
  const path = join(tempFolder(), 'baton.yaml');
  writeFileSync(path, text);
  return path;
}

function publishedSchema(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(ROOT, 'schemas/baton.schema.json'), 'utf8')) as Record<string, unknown>;
}

function keysIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as { readonly properties?: object };
  const inside = Object.values(schema).flatMap((each) => keysIn(each));
  return [...new Set([...Object.keys(properties), ...inside, ...Object.values(properties).flatMap(keysIn)])];
}

/** Each block as a file of its own in the package, where `batonpass` is the library as it was built. */
function complaintsAbout(blocks: readonly string[]): readonly string[] {
  const names = ['agent', 'BatonRefusal', 'BatonTimeout', 'HandlerFailure', 'HandoffNotCompleted', 'openBaton'];
  const imports = `import { ${names.join(', ')}, type Baton } from 'batonpass';\nimport { z } from 'zod';`;
  const prelude = `${imports}\ndeclare const baton: Baton;\n`;
  const texts = new Map(
    blocks.map((block, index) => [
      join(ROOT, `docs/block-${index + 1}.mts`),
      block.startsWith('import ') ? block : prelude + block,
    ]),
  );
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
  };
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (file) => texts.get(file) ?? readFile(file);
  host.fileExists = (file) => texts.has(file) || fileExists(file);
  host.getSourceFile = (file, how, ...rest) => {
    const text = texts.get(file);
    return text === undefined ? getSourceFile(file, how, ...rest) : ts.createSourceFile(file, text, how);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    return `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
