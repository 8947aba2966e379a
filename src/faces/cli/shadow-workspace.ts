/** What the shadow commands share: which workspace, and refusals as problems. */
import type { ShadowRefusal } from '../../engine/shadow/create.ts';
import type { ShadowWorld } from '../../engine/shadow/world.ts';
import { readSource, type ShadowProblem, type SourceRequest } from '../../domain/shadow.ts';
import { SHADOW_ID_RULE } from '../../domain/names.ts';
import type { Result } from '../../foundation/result.ts';
import type { Workspace } from '../../house/workspace.ts';
import { openFor, type CommonOptions } from './invocation.ts';
import { faceProblem, type Problem } from './problem.ts';

export interface Shadows {
  readonly world: ShadowWorld;
  readonly workspace: Workspace;
}

/** The database is asked for the settings in force, and closed again: shadows outlive a command. */
export async function openShadowsFor(options: CommonOptions): Promise<Shadows> {
  const house = await openFor(options);
  try {
    const { workspace, configuration, around } = house;
    if (workspace === null) throw noWorkspaceForShadows();
    const { openShadows } = await import('../../house/shadow/open-shadows.ts');
    return { world: openShadows(workspace, configuration.shadow, around.liveness), workspace };
  } finally {
    await house.close();
  }
}

export function noWorkspaceForShadows(): Problem {
  return faceProblem(
    'no-workspace',
    'shadows belong to a workspace, and there is none here; make one with: baton init',
  );
}

/** The value, or the refusal as the error that a command ends with. */
export function answered<Value>(answer: Result<Value, ShadowRefusal>): Value {
  if (answer.ok) return answer.value;
  throw problemFor(answer.refusal);
}

export function problemFor(refusal: ShadowRefusal): Problem {
  const { code } = refusal;
  switch (refusal.code) {
    case 'no-such-shadow':
      return faceProblem(
        code,
        `there is no shadow ${JSON.stringify(refusal.id)} in this workspace (${SHADOW_ID_RULE}); see: baton shadow list`,
        { id: refusal.id },
      );
    case 'shadow-source':
      return faceProblem(code, `source ${JSON.stringify(refusal.source)}: ${refusal.says}`, { source: refusal.source });
    case 'shadow-path':
      return faceProblem(code, `${JSON.stringify(refusal.path)}: ${refusal.says}`, { path: refusal.path });
    case 'shadow-copy':
      return faceProblem(code, refusal.says);
  }
}

export function unavailable({ code, says, todo }: ShadowProblem): Problem {
  return faceProblem('shadow-unavailable', `${code}: ${says}; ${todo}`, { reason: code, todo });
}

/** Without any, the repository around this folder. */
export function sourceArguments(args: readonly string[]): readonly SourceRequest[] {
  if (args.length === 0) return [{ path: '.', repository: null }];
  return args.map((text) => {
    const source = readSource(text);
    if (source !== null) return source;
    throw faceProblem('bad-request', `source ${JSON.stringify(text)}: PATH or PATH:ORG/NAME`);
  });
}
