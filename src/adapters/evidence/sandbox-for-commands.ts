/** Runs commands of evidence in a shadow. Loaded with the first such command. */
import { systemTimers } from '../../foundation/clock.ts';
import { isRuntimeInstalled } from '../../shadows/container/runtime.ts';
import { systemLiveness } from '../processes/liveness.ts';
import { openShadows } from '../shadows/open-shadows.ts';
import type { ShadowText } from '../../workspace/shadow-settings.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { SandboxForCommands } from './evidence-finding.ts';
import { runSandboxed } from './sandboxed-command.ts';

export function sandboxForCommands(workspace: Workspace, settings: ShadowText | null): SandboxForCommands {
  return {
    isInstalled: isRuntimeInstalled(settings?.runtime ?? null),
    run: (command, options) =>
      runSandboxed(openShadows(workspace, settings, systemLiveness(systemTimers)), command, options),
  };
}
