/** What the shadow commands share: opening the workspace, and refusals as problems. */
import { resolve } from 'node:path';
import type { ShadowRefusal } from '../../engine/shadow/create.ts';
import type { ShadowContext } from '../../engine/shadow/shadow-context.ts';
import { readSource, type ShadowProblem, type SourceRequest } from '../../domain/shadow.ts';
import { SHADOW_ID_RULE } from '../../domain/names.ts';
import type { Result } from '../../foundation/result.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { withOpened, type CommonOptions } from './with-workspace.ts';
import { cliProblem, type Problem } from './problem.ts';

export interface Shadows {
  readonly world: ShadowContext;
  readonly workspace: Workspace;
}

/** Reads the settings and closes the database again, because shadows outlive a command. */
export async function openShadowsFor(options: CommonOptions): Promise<Shadows> {
  return withOpened(options, async ({ workspace, configuration, ctx }) => {
    if (workspace === null) throw noWorkspaceForShadows();
    const { openShadows } = await import('../../adapters/shadows/open-shadows.ts');
    return { world: openShadows(workspace, configuration.shadow, ctx.liveness), workspace };
  });
}

export function noWorkspaceForShadows(): Problem {
  return cliProblem('no-workspace', 'shadows belong to a workspace, and there is none here; make one with: baton init');
}

/** Returns the value, or throws the refusal as a problem. */
export function answered<Value>(answer: Result<Value, ShadowRefusal>): Value {
  if (answer.ok) return answer.value;
  throw problemFor(answer.refusal);
}

export function problemFor(refusal: ShadowRefusal): Problem {
  const { code } = refusal;
  switch (refusal.code) {
    case 'no-such-shadow':
      return cliProblem(
        code,
        `there is no shadow ${JSON.stringify(refusal.id)} in this workspace (${SHADOW_ID_RULE}); see: baton shadow list`,
        { id: refusal.id },
      );
    case 'shadow-source':
      return cliProblem(code, `source ${JSON.stringify(refusal.source)}: ${refusal.says}`, { source: refusal.source });
    case 'shadow-path':
      return cliProblem(code, `${JSON.stringify(refusal.path)}: ${refusal.says}`, { path: refusal.path });
    case 'shadow-copy':
      return cliProblem(code, refusal.says);
  }
}

export function unavailable({ code, says, todo }: ShadowProblem): Problem {
  return cliProblem('shadow-unavailable', `${code}: ${says}; ${todo}`, { reason: code, todo });
}

/** Without an argument, the repository around this folder. */
export function sourceArguments(args: readonly string[]): readonly SourceRequest[] {
  if (args.length === 0) return [{ path: process.cwd(), repository: null }];
  return args.map((text) => {
    const source = readSource(text);
    // A manifest is read from other folders, so it holds absolute paths.
    if (source !== null) return { ...source, path: source.path.startsWith('~') ? source.path : resolve(source.path) };
    throw cliProblem('bad-request', `source ${JSON.stringify(text)}: PATH or PATH:ORG/NAME`);
  });
}
