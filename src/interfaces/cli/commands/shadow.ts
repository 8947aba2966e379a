import { displayText } from '../../../foundation/display-text.ts';
import type { JsonObject } from '../../../foundation/json.ts';
import { shellWord, unenforced, type LimitState } from '../../../domain/shadow.ts';
import { manifestJson, manifestText } from '../../../formats/shadow-manifest/manifest.ts';
import { cleanUp } from '../../../engine/shadow/clean-up.ts';
import { contextOf, createShadow, findSources, type CreateAnswer } from '../../../engine/shadow/create.ts';
import {
  addSource,
  destroyShadow,
  diffShadow,
  execShadow,
  extractFrom,
  injectInto,
  syncSource,
  withShadow,
} from '../../../engine/shadow/operations.ts';
import { manifestFor } from '../../../engine/shadow/test-run.ts';
import type { ShadowRecord } from '../../../engine/shadow/shadow-context.ts';
import { secondsArgument } from '../arguments.ts';
import { onInterrupt } from '../interrupt.ts';
import type { CommonOptions, Flags, Texts } from '../with-workspace.ts';
import type { Output } from '../output.ts';
import { cliProblem } from '../problem.ts';
import { answered, openShadowsFor, sourceArguments, unavailable, type Shadows } from '../shadow-workspace.ts';
import { ageOf, printTable } from '../table.ts';

const TIMEOUT_SECONDS_MAX = 24 * 60 * 60;
/** The exit code of shells for a command that took too long. */
const TIMED_OUT = 124;
const KILLED = 137;

/** A command of the workspace's shadows. */
function onShadows(act: (shadows: Shadows, output: Output, args: readonly string[]) => Promise<number | void>) {
  return async (args: readonly string[], options: CommonOptions, output: Output): Promise<number | void> =>
    act(await openShadowsFor(options), output, args);
}

export const preflightShadow = onShadows(async ({ world }, output) => {
  const preflight = await world.sandbox.preflight();
  const { problem, runtime, version, image, limits, warnings } = preflight;
  if (output.json) {
    output.answer({ ready: problem === null, ...preflight, limits: limitsView(limits), error: problem });
  } else {
    output.line(`runtime: ${runtime === null ? 'none' : `${runtime} ${version ?? '(no answer)'}`}`);
    if (image !== '') output.line(`image: ${image}${preflight.imageExists ? '' : ' (missing)'}`);
    for (const limit of limits) output.line(limitLine(limit));
    for (const warning of warnings) output.warn(warning);
    if (problem === null) output.line('ready: shadows can be made here');
  }
  if (problem === null) return 0;
  throw unavailable(problem);
});

function limitLine({ name, enforced, says }: LimitState): string {
  return `  ${enforced ? 'enforced    ' : 'NOT ENFORCED'} ${name.replaceAll('_', ' ')}: ${says}`;
}

function limitsView(limits: readonly LimitState[]): JsonObject {
  return Object.fromEntries(limits.map(({ name, enforced, says }) => [name, { enforced, says }]));
}

export const buildShadowImage = onShadows(async ({ world }, output) => {
  const built = await world.sandbox.buildImage();
  if (!built.ok) throw unavailable(built.refusal);
  if (output.json) output.answer(built.value);
  else output.line(`${built.value.image}\n${built.value.base}`);
});

export const createOne = onShadows(async ({ world }, output, args) => {
  const sources = answered(await findSources(world, sourceArguments(args)));
  await cleanUp(world);
  const interrupts = onInterrupt(() => output.note('stopping; what was begun is removed'));
  const answer = answered(await createShadow(world, sources, { signal: interrupts.stop }));
  const interrupted = interrupts.exitCode();
  if (interrupted !== null) {
    if (answer.success) await destroyShadow(world, answer.record.id);
    return interrupted;
  }
  if (output.json) output.answer(createView(answer));
  if (!answer.success) throw unavailable(answer.problem);
  if (!output.json) {
    for (const { warnings } of answer.record.sources) for (const warning of warnings) output.warn(warning);
    for (const limit of unenforced(answer.record.sandbox?.limits ?? []))
      output.warn(`${limit.name} is not enforced: ${limit.says}`);
    output.line(answer.record.id);
  }
  return 0;
});

/** The answer of the specification's `shadow.create()`. */
function createView(answer: CreateAnswer): JsonObject {
  if (!answer.success) {
    const { code, says, todo } = answer.problem;
    return { success: false, error: { code, message: says, todo } };
  }
  const { id, sources } = answer.record;
  return {
    success: true,
    shadow_id: id,
    snapshot_commits: Object.fromEntries(sources.map(({ repository, commit }) => [repository, commit])),
  };
}

export const addOneSource = onShadows(async ({ world }, output, args) => {
  const [id = '', text = ''] = args;
  const [source] = answered(await findSources(world, sourceArguments([text])));
  if (source === undefined) throw cliProblem('usage', 'add-source needs a source');
  const { added } = answered(await addSource(world, id, source));
  if (output.json) output.answer({ shadow_id: id, github_repo: added.repository, snapshot_commit: added.commit });
  else output.line(`${added.repository} ${added.commit}`);
});

export const syncSources = onShadows(async ({ world }, output, args) => {
  const [id = '', repository] = args;
  const synced = answered(await syncSource(world, id, repository ?? null));
  if (output.json) output.answer(synced);
  for (const { repository: name, from, to, checkoutKept } of output.json ? [] : synced) {
    output.line(`${name} ${from === to ? 'unchanged' : `${from} → ${to}`}`);
    if (checkoutKept) output.warn(`the checkout of ${name} inside has changes of its own and was left as it is`);
  }
});

type ExecOptions = CommonOptions & Texts<'timeout'>;

export async function execCommand(args: readonly string[], options: ExecOptions, output: Output): Promise<number> {
  const [id = '', ...words] = args;
  if (words.length === 0) throw cliProblem('usage', 'exec needs a command after the id, for example: -- npm test');
  const timeoutMs =
    options.timeout === undefined ? undefined : secondsArgument(options.timeout, '--timeout', 1, TIMEOUT_SECONDS_MAX);
  const { world } = await openShadowsFor(options);
  const interrupts = onInterrupt(() => undefined);
  const command = words.length === 1 ? (words[0] ?? '') : words.map(shellWord).join(' ');
  const ran = answered(
    await execShadow(world, id, command, {
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      signal: interrupts.stop,
    }),
  );
  if (output.json) {
    const { exitCode, stdout, stderr, durationMs, stoppedBy } = ran;
    output.answer({ exit_code: exitCode, stdout, stderr, duration_ms: Math.round(durationMs), stopped_by: stoppedBy });
  } else {
    process.stdout.write(displayText(ran.stdout));
    process.stderr.write(displayText(ran.stderr));
    if (ran.stoppedBy !== null) output.warn(`it was ended by its limit on ${ran.stoppedBy}`);
    if (ran.isGone) output.warn(`${id} is gone; make another one with: baton shadow create`);
  }
  return interrupts.exitCode() ?? ran.exitCode ?? (ran.stoppedBy === 'timeout' ? TIMED_OUT : KILLED);
}

export const diffOne = onShadows(async ({ world }, output, args) => {
  const patch = answered(await diffShadow(world, args[0] ?? ''));
  if (output.json) output.answer({ patch });
  else if (patch === '') output.note('nothing was changed inside');
  else process.stdout.write(displayText(patch));
});

export const extractFiles = onShadows(async ({ world, workspace }, output, args) => {
  const [id = '', path = '', to = ''] = args;
  const copied = answered(await extractFrom(world, id, path));
  const { writeInside } = await import('../../../adapters/shadows/host-files.ts');
  const written = await writeInside(workspace.folder, to, copied);
  if (!written.ok) throw cliProblem('shadow-path', written.refusal);
  if (output.json) output.answer({ written: written.value, skipped: copied.skipped });
  for (const file of output.json ? [] : written.value) output.line(displayText(file));
  for (const { path: skipped, says } of copied.skipped) output.warn(`${skipped} was left out: ${says}`);
});

export const injectFile = onShadows(async ({ world, workspace }, output, args) => {
  const [id = '', file = '', path = ''] = args;
  const { readInside } = await import('../../../adapters/shadows/host-files.ts');
  const read = await readInside(workspace.folder, file);
  if (!read.ok) throw cliProblem('shadow-path', read.refusal);
  answered(await injectInto(world, id, path, read.value));
  if (output.json) output.answer({ shadow_id: id, path, bytes: read.value.length });
  else output.note(`${read.value.length} bytes are in ${id}`);
});

export const listShadows = onShadows(async ({ world }, output) => {
  const [records, running] = await Promise.all([world.records.list(), world.sandbox.list()]);
  const stateOf = ({ id }: ShadowRecord): string => {
    const found = running.find((each) => each.id === id);
    return found === undefined ? 'gone' : found.isRunning ? 'running' : 'ended';
  };
  const nowMs = world.clock.nowMs();
  const view = records.map((record) => ({ ...recordView(record), state: stateOf(record) }));
  const rows = records.map((record) => [
    record.id,
    stateOf(record),
    ageOf(nowMs - record.createdAtMs),
    record.sources.map(({ repository }) => repository).join(', '),
  ]);
  printTable(output, view, [['id', 'state', 'age', 'sources'], ...rows], 'no shadows');
});

function recordView({ id, createdAtMs, untilMs, sources }: ShadowRecord): JsonObject {
  return {
    shadow_id: id,
    created_at: new Date(createdAtMs).toISOString(),
    ends_at: new Date(untilMs).toISOString(),
    sources: sources.map(({ path, repository, commit }) => ({
      path,
      github_repo: repository,
      snapshot_commit: commit,
    })),
  };
}

export const statusOne = onShadows(async ({ world }, output, args) => {
  const record = answered(await withShadow(world, args[0] ?? '', async (found) => ({ ok: true, value: found })));
  const isRunning = (await world.sandbox.list()).some(({ id, isRunning: runs }) => id === record.id && runs);
  const sources = record.sources.map(({ path, repository, folder }) => ({
    request: { path, repository },
    folder,
    repository,
  }));
  const context = await contextOf(world, record.id, record.sources);
  const manifest = manifestFor(sources, record, context, null);
  const limits = record.sandbox?.limits ?? [];
  if (output.json) {
    const { runtime = null, image = null, base = null } = record.sandbox ?? {};
    output.answer({
      ...recordView(record),
      state: isRunning ? 'running' : 'ended',
      runtime,
      image,
      base,
      limits: limitsView(limits),
      manifest: manifestJson(manifest),
    });
  } else {
    output.line(`${record.id}: ${isRunning ? 'running' : 'ended'}, ${record.sandbox?.base ?? 'not started'}`);
    for (const limit of limits) output.line(limitLine(limit));
    output.line(displayText(manifestText(manifest).trimEnd()));
  }
});

export async function destroyShadows(
  args: readonly string[],
  options: CommonOptions & Flags<'all'>,
  output: Output,
): Promise<number> {
  if ((args.length === 0) === (options.all === undefined)) {
    throw cliProblem('usage', 'destroy needs the ids of shadows, or --all');
  }
  const { world } = await openShadowsFor(options);
  await cleanUp(world);
  const ids = options.all === true ? (await world.records.list()).map(({ id }) => id) : args;
  const destroyed: string[] = [];
  for (const id of ids) destroyed.push(answered(await destroyShadow(world, id)));
  if (output.json) output.answer({ destroyed });
  for (const id of output.json ? [] : destroyed) output.line(id);
  return 0;
}
