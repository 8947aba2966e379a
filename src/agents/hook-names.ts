/** The hooks of each vendor. */
import type { Vendor } from '../domain/vendors.ts';

/** Event names as the vendor has them; the command has them in kebab-case. Codex trusts by hash: never change one. */
export const HOOK_EVENTS: Readonly<Record<Vendor, readonly string[]>> = {
  claude: ['SessionStart', 'UserPromptSubmit', 'Stop', 'StopFailure', 'SessionEnd', 'PreCompact'],
  codex: ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd', 'PreCompact'],
  gemini: ['SessionStart', 'BeforeAgent', 'AfterAgent', 'SessionEnd', 'PreCompress', 'Notification'],
};

/** The event as `baton hook VENDOR EVENT` takes it. */
export function hookEvent(event: string): string {
  return event.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}
