/** Runs a command of evidence in a shadow of the repository around the workspace, and destroys the shadow afterwards. */
import { hexDigestOf } from '../../foundation/digest.ts';
import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { shellWord } from '../../domain/shadow.ts';
import { cleanUp } from '../../engine/shadow/clean-up.ts';
import { createShadow, findSources } from '../../engine/shadow/create.ts';
import { destroyShadow, insideEnvironment } from '../../engine/shadow/operations.ts';
import { OUTPUT_BYTES_MAX, type ShadowContext } from '../../engine/shadow/shadow-context.ts';
import type { SandboxRun } from './evidence-finding.ts';
import type { Ran } from './run-bounded.ts';

const TAIL_CHARS = 2_000;

/** How the command ended, or why it could not run. */
export async function runSandboxed(
  world: ShadowContext,
  command: string,
  { folder, timeoutMs, signal }: SandboxRun,
): Promise<Ran | string> {
  const found = await findSources(world, [{ path: folder, repository: null }]);
  if (!found.ok) {
    return 'a sandbox is made from a git repository, and the workspace is in none; run git init, or set `evidence: { commands: allow }`';
  }
  const about = signal === undefined ? {} : { signal };
  await cleanUp(world);
  const created = await createShadow(world, found.value, { owner: world.liveness.self, ...about });
  if (!created.ok) return 'says' in created.refusal ? created.refusal.says : created.refusal.code;
  if (!created.value.success) {
    const { code, says, todo } = created.value.problem;
    return `no sandbox can be made here (${code}): ${says}; ${todo}`;
  }
  const { record } = created.value;
  try {
    const inside = relative(record.sources[0]?.folder ?? '', realpathSync(folder)) || '.';
    const ran = await world.sandbox.exec(record.id, {
      command: `cd "$SOURCE"/${shellWord(inside)} && { ${command}\n} 2>&1`,
      env: insideEnvironment(record),
      timeoutMs,
      outputBytesMax: OUTPUT_BYTES_MAX,
      ...about,
    });
    signal?.throwIfAborted();
    return {
      over: ran.stoppedBy === 'timeout' || ran.stoppedBy === 'output' ? ran.stoppedBy : 'ended',
      exitCode: ran.exitCode,
      killedBy: ran.stoppedBy === 'memory' ? 'its limit on memory' : ran.exitCode === null ? 'its limits' : null,
      outputSha256: hexDigestOf(ran.stdout),
      tail: ran.stdout.slice(-TAIL_CHARS),
    };
  } finally {
    await destroyShadow(world, record.id);
  }
}
