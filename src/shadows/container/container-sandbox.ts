/** The sandbox as a container of podman or docker, driven by its command line. */
import { cpus, totalmem } from 'node:os';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { ShadowId } from '../../domain/names.ts';
import { shadowProblem, unenforced, type LimitState, type ShadowProblem } from '../../domain/shadow.ts';
import type { BuiltImage, CreatedSandbox, CreateRequest, ListedSandbox, Preflight, Sandbox } from '../sandbox.ts';
import { runGit } from '../../foundation/git.ts';
import type { ProgramEnd } from '../../foundation/run-program.ts';
import { copyFrom, copyInto } from './copy.ts';
import { execInside, type Container } from './exec.ts';
import { keeperCommand, runFlags, variantsFor, WORK_USER, type Placement } from './flags.ts';
import { chooseImage, imageExists, usesHostUsr, type Image, type ImageChoice } from './image.ts';
import { PROBE, readLimits, type WantedLimits } from './limits.ts';
import { failureText, findRuntime, type Runtime, type RuntimeName } from './runtime.ts';
import { rememberedVariant, rememberVariant, supportIn, type Support } from './support.ts';

export interface ContainerOptions extends ImageChoice {
  readonly runtime: RuntimeName | null;
  /** Where records, snapshots and support files are kept. */
  readonly stateFolder: string;
  /** Part of the names of this workspace's containers. */
  readonly workspaceTag: string;
  readonly memoryMb: number;
  readonly processes: number;
}

const CPUS_MAX = 2;
const PROBE_MS = 20_000;
/** Enough to clone a large repository. */
const SET_UP_MS = 120_000;
const REMOVE_TRIES_MAX = 5;
const GIT_EXEC_PATH = '/usr/lib/git-core';
/** The largest share of the machine's memory. */
const MEMORY_PART = 0.75;

export function containerSandbox(options: ContainerOptions): Sandbox {
  const limits: WantedLimits = {
    memoryBytes: Math.min(options.memoryMb * 1024 ** 2, Math.floor(totalmem() * MEMORY_PART)),
    processes: options.processes,
    cpus: Math.min(CPUS_MAX, cpus().length),
  };
  const ctx: ContainerContext = { options, limits, support: () => supportIn(options.stateFolder) };
  return {
    preflight: (signal) => preflight(ctx, signal),
    buildImage: async (signal) => {
      const runtime = runtimeOf(ctx);
      if (runtime === null) return err(shadowProblem('docker_not_installed', notInstalled(ctx)));
      const image = chooseImage(options);
      return image.ok ? buildOn(runtime, image.value, signal) : image;
    },
    create: (request, signal) => create(ctx, request, signal),
    exec: (id, request) => execInside(containerOf(ctx, id), request),
    copyOut: (id, path, signal) => copyFrom(containerOf(ctx, id), path, signal),
    copyIn: (id, path, bytes, signal) => copyInto(containerOf(ctx, id), path, bytes, signal),
    list: (signal) => list(ctx, signal),
    destroy: (id) => destroy(ctx, id),
  };
}

interface ContainerContext {
  readonly options: ContainerOptions;
  readonly limits: WantedLimits;
  readonly support: () => Support;
}

function runtimeOf({ options, support }: ContainerContext): Runtime | null {
  return findRuntime(options.runtime, support().emptyFolder);
}

function notInstalled({ options }: ContainerContext): string {
  return options.runtime === null ? 'neither podman nor docker is installed' : `${options.runtime} is not installed`;
}

function containerOf(ctx: ContainerContext, id: ShadowId): Container {
  const runtime = runtimeOf(ctx);
  if (runtime === null) throw new Error(notInstalled(ctx));
  return { runtime, name: nameOf(ctx, id), remove: () => destroy(ctx, id) };
}

function nameOf({ options }: ContainerContext, id: string): string {
  return `baton-${options.workspaceTag}-${id}`;
}

async function preflight(ctx: ContainerContext, signal?: AbortSignal): Promise<Preflight> {
  const runtime = runtimeOf(ctx);
  const nothing = { version: null, image: '', imageExists: false, limits: [], warnings: [] };
  if (runtime === null) {
    return { ...nothing, runtime: null, problem: shadowProblem('docker_not_installed', notInstalled(ctx)) };
  }
  const chosen = chooseImage(ctx.options);
  const found = { ...nothing, runtime: runtime.name, image: chosen.ok ? chosen.value.name : '' };
  const answer = await versionOf(runtime, signal);
  if (!answer.ok) return { ...found, problem: answer.refusal };
  const known = { ...found, version: answer.value };
  if (!chosen.ok) return { ...known, problem: chosen.refusal };
  const image = chosen.value;
  if (!(await imageExists(runtime, image.name, signal))) {
    // The skeleton can be built without consent and network, and without an image nothing can be tested.
    if (!image.isSkeleton) return { ...known, problem: shadowProblem('image_not_found', `${image.name} is missing`) };
    const built = await buildOn(runtime, image, signal);
    if (!built.ok) return { ...known, problem: built.refusal };
  }
  const tried = await startFirstVariant(ctx, runtime, image, { snapshots: null, cache: null }, (flags) =>
    runtime.run(['run', '--rm', ...flags, `--user=${WORK_USER}`, image.name, 'sh', '-c', PROBE], { signal }),
  );
  if (!tried.ok) return { ...known, imageExists: true, problem: tried.refusal };
  const limits = readLimits(tried.value.stdout.toString('utf8'), ctx.limits);
  return { ...known, imageExists: true, problem: null, limits, warnings: warningsOf(limits) };
}

function warningsOf(limits: readonly LimitState[]): readonly string[] {
  return unenforced(limits).map(({ name, says }) => `${name} is not enforced here: ${says}`);
}

async function versionOf(runtime: Runtime, signal?: AbortSignal): Promise<Result<string, ShadowProblem>> {
  // `podman info` queries the package manager, which takes ten times as long.
  const question =
    runtime.name === 'podman'
      ? ['version', '--format', '{{.Client.Version}}']
      : ['info', '--format', '{{.ServerVersion}}'];
  const ran = await runtime.run(question, { signal });
  const version = ran.stdout.toString('utf8').trim();
  // Docker's client prints an empty version, and the reason on the other stream.
  if (ran.exitCode === 0 && version !== '') return ok(version);
  return err(shadowProblem('docker_not_running', `${runtime.name} does not answer: ${failureText(ran)}`));
}

async function buildOn(
  runtime: Runtime,
  image: Image,
  signal?: AbortSignal,
): Promise<Result<BuiltImage, ShadowProblem>> {
  const answer = await versionOf(runtime, signal);
  return answer.ok ? image.build(runtime, signal) : answer;
}

async function create(
  ctx: ContainerContext,
  request: CreateRequest,
  signal?: AbortSignal,
): Promise<Result<CreatedSandbox, ShadowProblem>> {
  const runtime = runtimeOf(ctx);
  if (runtime === null) return err(shadowProblem('docker_not_installed', notInstalled(ctx)));
  const chosen = chooseImage(ctx.options);
  if (!chosen.ok) return chosen;
  const image = chosen.value;
  const name = nameOf(ctx, request.id);
  const labels = [`--label=baton.shadow=${request.id}`, `--label=baton.workspace=${ctx.options.workspaceTag}`];
  const started = await startFirstVariant(ctx, runtime, image, request, async (flags) => {
    const own = ['--detach', `--name=${name}`, ...labels];
    const ran = await runtime.run(['run', ...own, ...flags, image.name, ...keeperCommand(request.lifeMs)], { signal });
    // A container that failed to start still exists and uses the name.
    if (ran.exitCode !== 0) await destroy(ctx, request.id);
    return ran;
  });
  if (!started.ok) return started;
  const setUp = await request.setUp();
  const probe =
    setUp === null
      ? null
      : await execInside(containerOf(ctx, request.id), {
          command: `${PROBE}\n${setUp}`,
          timeoutMs: SET_UP_MS,
          outputBytesMax: 64 * 1024,
          ...(signal === undefined ? {} : { signal }),
        });
  const limits = readLimits(probe?.stdout ?? '', ctx.limits);
  const missing = unenforced(limits).filter((limit) => request.required.includes(limit.name));
  if (probe?.exitCode === 0 && missing.length === 0) {
    return ok({ runtime: runtime.name, image: image.name, base: image.base, limits });
  }
  await destroy(ctx, request.id);
  const says =
    probe?.exitCode === 0
      ? missing.map((limit) => `${limit.name} is required and not enforced here: ${limit.says}`).join('; ')
      : `the container cannot be set up: ${probe?.stderr.trim().slice(0, 300) ?? 'it is not wanted any more'}`;
  return err(shadowProblem('create_failed', says));
}

/** Tries the variant that worked last time, then every other one. Builds a missing image. */
async function startFirstVariant(
  ctx: ContainerContext,
  runtime: Runtime,
  image: Image,
  folders: Pick<CreateRequest, 'snapshots' | 'cache'> | { readonly snapshots: null; readonly cache: null },
  start: (flags: readonly string[]) => Promise<ProgramEnd>,
): Promise<Result<ProgramEnd, ShadowProblem>> {
  const { options, limits } = ctx;
  const support = ctx.support();
  const key = `${runtime.name} ${image.name} ${process.getuid?.() ?? ''}`;
  const remembered = rememberedVariant(options.stateFolder, key);
  if (remembered === null) {
    const ready = await ensureImage(runtime, image);
    if (ready !== null) return err(ready);
  }
  const isRoot = process.getuid?.() === 0;
  let isReady = remembered === null;
  const place: Omit<Placement, 'variant'> = {
    runtime: runtime.name,
    image: image.name,
    usesHostUsr: await usesHostUsr(runtime, image),
    gitExecPath: await gitExecPathOf(runtime, image),
    support: support.folder,
    seccomp: support.seccomp,
    ...folders,
    limits,
  };
  const variants = [...(remembered === null ? [] : [remembered]), ...variantsFor(runtime.name, isRoot)];
  let last: ProgramEnd | null = null;
  for (const variant of variants) {
    const ran = await start(runFlags({ ...place, variant }));
    if (ran.exitCode === 0) {
      rememberVariant(options.stateFolder, { key, variant });
      return ok(ran);
    }
    last = ran;
    if (ran.over === 'aborted') break;
    if (isReady) continue;
    // The variant worked before: the runtime may have stopped, or the image may be gone.
    isReady = true;
    const ready = await ensureImage(runtime, image);
    if (ready !== null) return err(ready);
    const again = await start(runFlags({ ...place, variant }));
    if (again.exitCode === 0) return ok(again);
  }
  return err(shadowProblem('create_failed', last === null ? undefined : failureText(last), adviceFor(last)));
}

async function ensureImage(runtime: Runtime, image: Image): Promise<ShadowProblem | null> {
  const answer = await versionOf(runtime);
  if (!answer.ok) return answer.refusal;
  if (await imageExists(runtime, image.name)) return null;
  const built = await image.build(runtime);
  return built.ok ? null : built.refusal;
}

function adviceFor(ran: ProgramEnd | null): string | undefined {
  const text = ran?.stderr.toString('utf8') ?? '';
  if (/hybrid/.test(text)) return 'install runc: crun cannot run where control groups of both versions are mixed';
  if (/newuidmap|subuid/.test(text)) return 'install uidmap and give this user a range in /etc/subuid and /etc/subgid';
  return undefined;
}

/** Where git looks for its helpers inside. */
async function gitExecPathOf(runtime: Runtime, image: Image): Promise<string> {
  const ran = image.isSkeleton
    ? await runGit(['--exec-path'], { folder: '/', timeoutMs: PROBE_MS, outputBytesMax: 4_096, asConfigured: true })
    : await runtime.run(['run', '--rm', '--network=none', '--entrypoint=git', image.name, '--exec-path']);
  const path = ran.stdout.toString('utf8').trim();
  return ran.exitCode === 0 && path.startsWith('/usr/') ? path : GIT_EXEC_PATH;
}

async function list(ctx: ContainerContext, signal?: AbortSignal): Promise<readonly ListedSandbox[]> {
  const runtime = runtimeOf(ctx);
  if (runtime === null) return [];
  const filter = `label=baton.workspace=${ctx.options.workspaceTag}`;
  const ran = await runtime.run(['ps', '--all', '--filter', filter, '--format', '{{.Names}}\t{{.State}}'], { signal });
  const begin = nameOf(ctx, '');
  return ran.stdout
    .toString('utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([name]) => name?.startsWith(begin) === true)
    .map(([name = '', state = '']) => ({ id: name.slice(begin.length), isRunning: /^(?:running|up)/i.test(state) }));
}

/** A container that is just ending may refuse to be removed, so removal is tried a few times. */
async function destroy(ctx: ContainerContext, id: string): Promise<boolean> {
  const runtime = runtimeOf(ctx);
  if (runtime === null) return false;
  const name = nameOf(ctx, id);
  const now = runtime.name === 'podman' ? ['--time=0'] : [];
  let wasThere = false;
  for (let round = 0; round < REMOVE_TRIES_MAX; round += 1) {
    const removed = await runtime.run(['rm', '--force', '--volumes', ...now, name]);
    // Both runtimes print what they removed. Removing a missing container is an error in some versions only.
    const isRemoved = removed.stdout.toString('utf8').trim() !== '';
    wasThere ||= isRemoved;
    if ((isRemoved && removed.exitCode === 0) || !(await containerExists(runtime, name))) return wasThere;
  }
  throw new Error(`the container ${name} cannot be removed; try: ${runtime.name} rm -f ${name}`);
}

async function containerExists(runtime: Runtime, name: string): Promise<boolean> {
  const ran = await runtime.run(['container', 'inspect', '--format', '{{.Id}}', name]);
  return ran.exitCode === 0;
}
