/** The command line of a shadow's container. Differences between machines are variants, which are tried in order. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { INSIDE, SHADOW_HOSTNAME, TOOL_VARIABLES } from '../../domain/shadow-plan.ts';
import type { WantedLimits } from './limits.ts';
import type { RuntimeName } from './runtime.ts';

/** The user that runs the project's code, and the user that keeps the container alive, whom that code cannot kill. */
export const WORK_USER = '1000:1000';
const KEEPER_USER = '1001:1001';

/** User ids that no user of the host has. */
const MAPPED_USERS = '0:2000000:65536';

/** What differs from machine to machine. */
export interface Variant {
  /** Of podman: crun refuses machines with mixed control groups. */
  readonly ociRuntime: 'runc' | null;
  readonly mapsUsers: boolean;
  readonly strictSeccomp: boolean;
  readonly resourceLimits: boolean;
}

/** From the strictest to the least strict. The first that starts is used and remembered. */
export function variantsFor(runtime: RuntimeName, isRoot: boolean): readonly Variant[] {
  const plain: Variant = { ociRuntime: null, mapsUsers: false, strictSeccomp: false, resourceLimits: true };
  if (runtime === 'docker') return [plain, { ...plain, resourceLimits: false }];
  const best: Variant = { ...plain, mapsUsers: isRoot, strictSeccomp: true };
  const variants: readonly Variant[] = [
    best,
    { ...best, ociRuntime: 'runc' },
    { ...best, mapsUsers: false },
    { ...best, mapsUsers: false, ociRuntime: 'runc' },
    { ...plain, ociRuntime: 'runc' },
    plain,
    { ...plain, resourceLimits: false },
  ];
  return [...new Map(variants.map((variant) => [JSON.stringify(variant), variant])).values()];
}

export interface Placement {
  readonly runtime: RuntimeName;
  readonly variant: Variant;
  readonly image: string;
  /** The image is a skeleton: its programs are the host's. */
  readonly usesHostUsr: boolean;
  readonly gitExecPath: string;
  /** Host folders. */
  readonly support: string;
  readonly seccomp: string | null;
  readonly snapshots: string | null;
  readonly cache: string | null;
  readonly limits: WantedLimits;
}

export function runFlags(place: Placement): readonly string[] {
  const { runtime, variant, limits } = place;
  const podman = runtime === 'podman';
  return [
    ...(podman && variant.ociRuntime !== null ? [`--runtime=${variant.ociRuntime}`] : []),
    '--pull=never',
    '--network=none',
    '--log-driver=none',
    `--hostname=${SHADOW_HOSTNAME}`,
    '--read-only',
    '--cap-drop=all',
    '--security-opt=no-new-privileges',
    ...(variant.strictSeccomp && place.seccomp !== null ? [`--security-opt=seccomp=${place.seccomp}`] : []),
    `--user=${KEEPER_USER}`,
    ...(variant.resourceLimits ? resourceFlags(limits) : []),
    '--ulimit=nofile=1024:1024',
    `--ulimit=nproc=${limits.processes}:${limits.processes}`,
    '--ulimit=core=0:0',
    '--shm-size=64m',
    `--workdir=${INSIDE.work}`,
    // They count as memory: even if all are full, the tested programs need enough left.
    ...tmpfs('/tmp', limits.memoryBytes / 4),
    ...tmpfs(INSIDE.home, limits.memoryBytes / 32),
    ...tmpfs(INSIDE.work, limits.memoryBytes / 2),
    ...(podman ? ['--http-proxy=false', '--no-hosts', '--read-only-tmpfs=false', '--security-opt=label=disable'] : []),
    ...(podman && variant.mapsUsers ? [`--uidmap=${MAPPED_USERS}`, `--gidmap=${MAPPED_USERS}`] : []),
    ...(place.usesHostUsr ? hostUsr(podman) : []),
    ...mount(place.support, INSIDE.support),
    ...mount(join(place.support, 'gitconfig'), '/etc/gitconfig'),
    ...['git-remote-http', 'git-remote-https'].flatMap((name) =>
      mount(join(place.support, 'bin/git-remote-http'), `${place.gitExecPath}/${name}`),
    ),
    ...(place.snapshots === null ? [] : mount(place.snapshots, INSIDE.snapshots)),
    ...(place.cache === null ? [] : mount(place.cache, INSIDE.cache)),
    `--env=HOME=${INSIDE.home}`,
    `--env=PATH=${pathInside(place)}`,
  ];
}

function resourceFlags({ memoryBytes, processes, cpus }: WantedLimits): readonly string[] {
  return [`--memory=${memoryBytes}`, `--memory-swap=${memoryBytes}`, `--pids-limit=${processes}`, `--cpus=${cpus}`];
}

function tmpfs(place: string, bytes: number): readonly string[] {
  return ['--tmpfs', `${place}:rw,exec,nosuid,nodev,size=${Math.floor(bytes / 1024)}k,mode=1777`];
}

function mount(from: string, to: string): readonly string[] {
  return ['--volume', `${from}:${to}:ro`];
}

/** `/usr/local` is hidden unless it is needed, because it may contain local settings. */
function hostUsr(podman: boolean): readonly string[] {
  const hidden = nodeFolder().startsWith('/usr/local/') ? ['/usr/local/etc', '/usr/etc'] : ['/usr/local', '/usr/etc'];
  const options = podman ? 'ro,size=1m,notmpcopyup' : 'ro,size=1m';
  const own = nodePrefixElsewhere();
  return [
    ...mount('/usr', '/usr'),
    ...hidden.filter((path) => existsSync(path)).flatMap((path) => ['--tmpfs', `${path}:${options}`]),
    ...(own === null ? [] : mount(own, '/opt/node')),
  ];
}

function nodeFolder(): string {
  return dirname(realpathSync(process.execPath));
}

/** Where Node was installed outside of `/usr` (by a version manager), its own folder is shown, and nothing around it. */
function nodePrefixElsewhere(): string | null {
  return nodeFolder().startsWith('/usr/') ? null : dirname(nodeFolder());
}

function pathInside({ usesHostUsr }: Placement): string {
  const base = `${INSIDE.support}/bin:/usr/bin:/bin:/usr/sbin:/sbin`;
  if (!usesHostUsr) return `${INSIDE.support}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`;
  if (nodePrefixElsewhere() !== null) return `/opt/node/bin:${base}`;
  return nodeFolder().startsWith('/usr/local/') ? `/usr/local/bin:${base}` : base;
}

export function execFlags(env: Readonly<Record<string, string>>, folder: string): readonly string[] {
  const all = { ...TOOL_VARIABLES, ...env };
  return [
    `--user=${WORK_USER}`,
    `--workdir=${folder}`,
    ...Object.entries(all).map(([name, value]) => `--env=${name}=${value}`),
  ];
}

/** The container ends by itself, because our process may be gone by then. */
export function keeperCommand(lifeMs: number): readonly string[] {
  const seconds = Math.max(1, Math.ceil(lifeMs / 1000));
  const answer = `if command -v node >/dev/null; then node ${INSIDE.support}/bin/answer-404.mjs >/dev/null 2>&1 & fi`;
  return ['sh', '-c', `${answer}; sleep ${seconds} & wait $!`];
}
