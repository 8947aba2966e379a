/**
 * Finds the programs that some tests need beside Node, and fetches them where that is allowed.
 *
 * Root on Debian installs them; in CI a missing one is an error, because a test skipped there is a test nobody runs;
 * anywhere else the answer is null and the test skips, naming what is missing (`howToGet`).
 */
import { execFile, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

interface Component {
  readonly packages: readonly string[];
  /** The program's path; for PostgreSQL the folder with `initdb` and `pg_ctl`, which Debian keeps out of PATH. */
  readonly find: () => string | null;
}

const COMPONENTS = {
  strace: { packages: ['strace'], find: () => programOnPath('strace') },
  postgres: { packages: ['postgresql'], find: findPostgresBinaries },
  tmux: { packages: ['tmux'], find: () => programOnPath('tmux') },
  // runc beside podman: crun, its usual runtime, refuses machines with mixed control groups.
  podman: { packages: ['podman', 'runc'], find: () => programOnPath('podman') },
  redis: { packages: ['redis-server'], find: () => programOnPath('redis-server') },
  // The browser without its window: a page takes a third of the processor time that it takes in the whole one.
  chromium: {
    packages: ['chromium-headless-shell', 'fonts-dejavu-core'],
    find: () => programOnPath('chromium-headless-shell') ?? programOnPath('chromium'),
  },
  jq: { packages: ['jq'], find: () => programOnPath('jq') },
  openssl: { packages: ['openssl'], find: () => programOnPath('openssl') },
  // Debian keeps it among the programs of the administrator, which are not on everybody's path.
  pgbouncer: { packages: ['pgbouncer'], find: () => programOnPath('pgbouncer', '/usr/sbin') },
  zsh: { packages: ['zsh'], find: () => programOnPath('zsh') },
  fish: { packages: ['fish'], find: () => programOnPath('fish') },
  python3: { packages: ['python3'], find: () => programOnPath('python3') },
} as const satisfies Record<string, Component>;

export type ComponentName = keyof typeof COMPONENTS;

/** One place for all runs of the tests at once: the package manager serves one at a time. */
const LOCK = '/var/tmp/baton-test-components.lock';
const UPDATED = '/var/tmp/baton-test-components.updated';

/** A browser over a slow line takes minutes. */
const INSTALL_MAX_MS = 10 * 60 * 1000;
/** Package lists older than this may name versions that are no longer offered. */
const LISTS_FRESH_MS = 6 * 60 * 60 * 1000;
const LOCK_LOOK_MS = 200;

/** Answers the program's path (PostgreSQL: the folder of its programs), or null where the test has to skip. */
export async function needComponent(name: ComponentName): Promise<string | null> {
  const component: Component = COMPONENTS[name];
  const present = component.find();
  if (present !== null) return present;

  let problem = '';
  if (mayInstall()) {
    problem = await underLock(async () => (component.find() === null ? install(component.packages) : ''));
    const installed = component.find();
    if (installed !== null) return installed;
  }
  if (process.env['CI']) throw new Error(`${howToGet(name)}${problem === '' ? '' : `\n${problem}`}`);
  return null;
}

/** The reason with which a test skips. */
export function howToGet(name: ComponentName): string {
  return `${name} is missing: apt-get install ${COMPONENTS[name].packages.join(' ')}`;
}

function findPostgresBinaries(): string | null {
  const isComplete = (folder: string): boolean =>
    ['initdb', 'pg_ctl', 'postgres'].every((program) => isProgram(join(folder, program)));
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const told = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  const candidates = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(told.status === 0 ? [told.stdout.trim()] : []),
    ...foldersOnPath(),
  ];
  return candidates.find(isComplete) ?? null;
}

function programOnPath(program: string, ...also: readonly string[]): string | null {
  return [...foldersOnPath(), ...also].map((folder) => join(folder, program)).find(isProgram) ?? null;
}

function foldersOnPath(): readonly string[] {
  return (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function mayInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && programOnPath('apt-get') !== null;
}

/** Answers what went wrong, or nothing. */
async function install(packages: readonly string[]): Promise<string> {
  const listed = statSync(UPDATED, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (Date.now() - listed > LISTS_FRESH_MS) {
    const problem = await apt(['update']);
    if (problem !== '') return problem;
    writeFileSync(UPDATED, '');
  }
  return apt(['install', '-y', '--no-install-recommends', ...packages]);
}

/** Without blocking: a test runner that does not hear from its worker for a minute gives it up. */
async function apt(args: readonly string[]): Promise<string> {
  const patience = ['-qq', '-o', 'DPkg::Lock::Timeout=300'];
  try {
    await promisify(execFile)('apt-get', [...patience, ...args], {
      timeout: INSTALL_MAX_MS,
      maxBuffer: 16 * 1024 * 1024,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Test files run side by side, and apt serves one at a time. */
async function underLock<T>(action: () => Promise<T>): Promise<T> {
  const deadlineMs = Date.now() + INSTALL_MAX_MS;
  while (!takeLock()) {
    if (Date.now() > deadlineMs) throw new Error(`${LOCK} is held for too long; remove it if no test is running`);
    await pause(LOCK_LOOK_MS);
  }
  try {
    return await action();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

function takeLock(): boolean {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    if (holderIsDead()) rmSync(LOCK, { force: true });
    return false;
  }
}

function holderIsDead(): boolean {
  try {
    const holder = Number(readFileSync(LOCK, 'utf8'));
    // Zero is a lock created a moment ago whose number is not yet written.
    if (holder > 0) process.kill(holder, 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
