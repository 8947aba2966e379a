/** For each vendor: which files Baton writes into, what it writes there, and what only the user can approve. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../foundation/json.ts';
import { orNull } from '../../foundation/or-null.ts';
import type { Vendor } from '../../domain/vendors.ts';
import { HOOK_EVENTS, hookEvent } from '../hook-names.ts';
import { INSTRUCTIONS, SKILL } from './instructions.ts';
import { MARKDOWN_MARKS, TOML_MARKS, withSection } from './marked-text.ts';
import {
  hasOtherStatusLine,
  readSettings,
  withHooks,
  withServer,
  withStatusLine,
  writeSettings,
} from './settings-text.ts';

export type Scope = 'project' | 'user';

export interface Place {
  readonly scope: Scope;
  /** The project's folder, or the user's home. */
  readonly folder: string;
  /** `CLAUDE_CONFIG_DIR`, `CODEX_HOME`; null: not set. */
  readonly claudeFolder: string | null;
  readonly codexFolder: string | null;
  /** Claude Code's settings for all projects of the user, also where the scope is a project. */
  readonly claudeUserSettings: string;
}

/** One file, as text to text; `null` is a file that is not there. */
export interface FileEdit {
  readonly path: string;
  readonly what: 'hooks' | 'mcp' | 'instructions' | 'hooks and mcp' | 'hooks and status line';
  /** What the user has in the place of ours, so that ours is not installed, and what to add by hand; null: nothing. */
  readonly leftAlone?: string;
  install(text: string | null): string | null;
  remove(text: string | null): string | null;
}

const TIMEOUT_SECONDS = 30;

export function hookCommand(vendor: Vendor, event: string): string {
  return `baton hook ${vendor} ${hookEvent(event)}`;
}

/** `agent` is the name under which it sends and works, such as `@claude`. */
export function filesOf(vendor: Vendor, place: Place, agent: string): readonly FileEdit[] {
  return { claude: claudeFiles, codex: codexFiles, gemini: geminiFiles }[vendor](place, agent);
}

const STATUS_LINE = 'baton hook claude status-line';

/** Claude Code shows one status line, so ours is not installed where one of these files has another. */
function claudeSettingsEdit(path: string, alsoRead: readonly string[]): FileEdit {
  // Claude Code finds no status line in settings that cannot be read either.
  const theirs = [path, ...alsoRead].find(
    (each) => orNull(() => hasOtherStatusLine(readSettings(readFileSync(each, 'utf8')))) === true,
  );
  const edit = settingsEdit(path, theirs === undefined ? 'hooks and status line' : 'hooks', {
    install: (settings) =>
      withStatusLine(withOurHooks(settings, 'claude'), theirs === undefined ? { command: STATUS_LINE } : null),
    remove: (settings) => withStatusLine(withHooks(settings, 'claude', []), null),
  });
  if (theirs === undefined) return edit;
  const leftAlone =
    `status line: yours in ${theirs} stays. To show context and waiting handoffs in it, ` +
    `let its script pass on what it reads: printf '%s' "$input" | ${STATUS_LINE}`;
  return { ...edit, leftAlone };
}

function claudeFiles(place: Place, agent: string): readonly FileEdit[] {
  const { scope, folder, claudeFolder, claudeUserSettings } = place;
  const own = scope === 'user' ? (claudeFolder ?? join(folder, '.claude')) : join(folder, '.claude');
  const state = claudeFolder === null ? join(folder, '.claude.json') : join(claudeFolder, '.claude.json');
  const server = { type: 'stdio', command: 'baton', args: ['mcp', '--as', agent] };
  return [
    claudeSettingsEdit(join(own, 'settings.json'), [join(own, 'settings.local.json'), claudeUserSettings]),
    settingsEdit(scope === 'user' ? state : join(folder, '.mcp.json'), 'mcp', {
      install: (settings) => withServer(settings, server),
      remove: (settings) => withServer(settings, null),
    }),
    {
      path: join(own, 'skills', 'baton', 'SKILL.md'),
      what: 'instructions',
      install: () => SKILL,
      remove: () => null,
    },
  ];
}

function codexFiles({ scope, folder, codexFolder }: Place, agent: string): readonly FileEdit[] {
  const own = scope === 'user' ? (codexFolder ?? join(folder, '.codex')) : join(folder, '.codex');
  return [
    settingsEdit(join(own, 'hooks.json'), 'hooks', {
      install: (settings) => withOurHooks(settings, 'codex'),
      remove: (settings) => withHooks(settings, 'codex', []),
    }),
    {
      path: join(own, 'config.toml'),
      what: 'mcp',
      // A second table of the same name would make the whole file invalid, so one that the user wrote is enough.
      install: (text) =>
        OWN_SERVER.test(withSection(text, null, TOML_MARKS) ?? '')
          ? text
          : withSection(text, codexServer(agent), TOML_MARKS),
      remove: (text) => withSection(text, null, TOML_MARKS),
    },
    instructionsEdit(scope === 'user' ? join(own, 'AGENTS.md') : join(folder, 'AGENTS.md')),
  ];
}

const OWN_SERVER = /^\s*\[\s*mcp_servers\s*\.\s*"?baton"?\s*\]/m;

function codexServer(agent: string): string {
  return [
    '[mcp_servers.baton]',
    'command = "baton"',
    `args = ["mcp", "--as", ${JSON.stringify(agent)}]`,
    // Codex passes on nothing by itself; these say for whom a worker runs.
    `env_vars = ${JSON.stringify(WORKER_VARIABLES)}`,
  ].join('\n');
}

const WORKER_VARIABLES = ['BATON_AGENT', 'BATON_HANDOFF_ID', 'BATON_WORKSPACE', 'BATON_DATABASE', 'BATON_TOKEN'];

function geminiFiles({ folder, scope }: Place, agent: string): readonly FileEdit[] {
  const own = join(folder, '.gemini');
  const server = { command: 'baton', args: ['mcp', '--as', agent] };
  return [
    settingsEdit(join(own, 'settings.json'), 'hooks and mcp', {
      install: (settings) => withServer(withOurHooks(settings, 'gemini'), server),
      remove: (settings) => withServer(withHooks(settings, 'gemini', []), null),
    }),
    instructionsEdit(scope === 'user' ? join(own, 'GEMINI.md') : join(folder, 'GEMINI.md')),
  ];
}

type EditSettings = (settings: JsonObject) => JsonObject;

/** A file of JSON settings. */
function settingsEdit(
  path: string,
  what: FileEdit['what'],
  { install, remove }: { readonly install: EditSettings; readonly remove: EditSettings },
): FileEdit {
  return { path, what, install: (text) => edited(text, install), remove: (text) => edited(text, remove) };
}

function withOurHooks(settings: JsonObject, vendor: Vendor): JsonObject {
  const entries = HOOK_EVENTS[vendor].map((event) => ({
    event,
    command: hookCommand(vendor, event),
    ...(vendor === 'gemini' ? { matcher: '*' } : {}),
    timeout: vendor === 'gemini' ? TIMEOUT_SECONDS * 1000 : TIMEOUT_SECONDS,
  }));
  return withHooks(settings, vendor, entries);
}

function instructionsEdit(path: string): FileEdit {
  return {
    path,
    what: 'instructions',
    install: (text) => withSection(text, INSTRUCTIONS, MARKDOWN_MARKS),
    remove: (text) => withSection(text, null, MARKDOWN_MARKS),
  };
}

/** Settings that are equal stay the same to the byte; a file in which nothing is left goes. */
function edited(text: string | null, edit: EditSettings): string | null {
  const settings = readSettings(text);
  const next = edit(settings);
  if (JSON.stringify(next) === JSON.stringify(settings)) return text;
  return Object.keys(next).length === 0 ? null : writeSettings(next, text);
}

/** What Baton leaves to the user: these are questions of trust. */
export function approvalsOf(vendor: Vendor, scope: Scope): readonly string[] {
  switch (vendor) {
    case 'claude':
      return scope === 'user'
        ? ['Claude Code asks once before it uses a tool of the server "baton".']
        : [
            'Start claude here once: it asks whether you trust this folder, and whether it may use the server "baton" of .mcp.json.',
          ];
    case 'codex':
      return [
        'Start codex here once: it asks whether you trust this folder, and shows the new hooks for review. Until you trust them, Codex skips them without a word.',
      ];
    case 'gemini':
      return [
        'Start gemini here once: it asks whether you trust this folder. In a folder that is not trusted, project hooks do not run.',
      ];
  }
}
