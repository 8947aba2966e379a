/** Reads the name of a file: parties, day, and whether it is a copy. */
import { agentOf } from './agents.ts';
import { instantOf } from './dates.ts';

/** What programs and people put behind a name that was taken: `_063331` (a time of day), `-copy`, ` (2)`, `.bak`, `~`. */
const COPY =
  /(?:_[0-2]\d[0-5]\d[0-5]\d|[ _-]+copy(?:[ _-]?\d{1,3})?|[ _-]*\(\d{1,3}\)|[ _-]+\(?conflict(?:ed copy)?[^)]{0,60}\)?|\.(?:bak|orig|old)|~)$/i;
const EXTENSION = /\.(?:markdown|md|mdx|txt|ya?ml|json)$/i;

export interface FileNameReading {
  /** Without folder, ending and marks of a copy. */
  readonly stem: string;
  readonly isCopy: boolean;
  readonly from: string | null;
  readonly to: string | null;
  readonly createdAt: number | null;
  readonly says: 'handoff' | null;
  /** Its folder is one for handoffs. */
  readonly amongHandoffs: boolean;
}

export function readName(path: string): FileNameReading {
  const parts = path.split(/[\\/]/);
  const whole = (parts.at(-1) ?? '').slice(0, 300).replace(EXTENSION, '');
  let stem = whole;
  for (let shorter = cut(stem); shorter !== stem; shorter = cut(stem)) stem = shorter;
  const pair = pairIn(stem);
  return {
    stem,
    isCopy: stem !== whole,
    from: pair?.[0] ?? null,
    to: pair?.[1] ?? addresseeIn(parts.slice(0, -1)),
    createdAt: instantOf(stem),
    amongHandoffs: parts.slice(0, -1).some((folder) => /^[_.]?hand[-_]?(?:off|over)s?$/i.test(folder)),
    says: /hand[-_ ]?(?:off|over)|passation/i.test(stem) ? 'handoff' : null,
  };
}

const DONE_FOLDER = /^(?:done|completed?|applied|closed|archived?|finished|resolved)$/i;

/** Old systems moved finished files into such a folder and left the status inside as it was. */
export function doneFolderIn(path: string): string | null {
  const folders = path.split(/[\\/]/).slice(0, -1);
  return folders.find((part) => DONE_FOLDER.test(part)) ?? null;
}

function cut(stem: string): string {
  const shorter = stem.replace(COPY, '').replace(EXTENSION, '').trimEnd();
  return shorter === '' ? stem : shorter;
}

/** `T-0022__codex__to__claude`, `handoff_claude_to_codex_2026-01-02`, `HANDOFF-DEVKIT-TO-WORKBENCH`. */
function pairIn(stem: string): readonly [string, string] | null {
  const wide = /(?:^|__)([^_]+(?:_[^_]+)*?)__to__([^_]+(?:_[^_]+)*?)(?:__|$)/i.exec(stem);
  const narrow = wide ?? /(?:^|[-_ .])([A-Za-z0-9]+)[-_ ]+to[-_ ]+([A-Za-z0-9]+)(?=[-_ .]|$)/i.exec(stem);
  const [, from = '', to = ''] = narrow ?? [];
  if (narrow === null || /^(?:hand|off|handoff|handover|\d+)$/i.test(from)) return null;
  return agentOf(from) === null || agentOf(to) === null ? null : [from, to];
}

/** `handoffs/to-claude/open/`. */
function addresseeIn(folders: readonly string[]): string | null {
  for (const folder of folders.toReversed()) {
    const name = /^to[-_ ]([A-Za-z0-9._-]{1,64})$/i.exec(folder)?.[1];
    if (name !== undefined) return name;
  }
  return null;
}
