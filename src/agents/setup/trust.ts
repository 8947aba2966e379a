/**
 * Reads from a vendor's own files what the user trusts. They are never written: the user decides, and the vendor defines
 * their formats.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject, readJson, type JsonObject } from '../../foundation/json.ts';
import { orNull } from '../../foundation/or-null.ts';
import type { Vendor } from '../../domain/vendors.ts';
import { listIn, objectIn, textIn } from '../json-fields.ts';
import { HOOK_EVENTS } from '../hook-names.ts';
import type { Place } from './vendor-files.ts';

export interface TrustFinding {
  readonly what: string;
  readonly is: 'yes' | 'no' | 'unknown';
  readonly todo?: string;
}

export interface TrustQuestion extends Place {
  readonly home: string;
  /** The folder in which the agent is started. */
  readonly project: string;
}

export function trustOf(vendor: Vendor, asked: TrustQuestion): readonly TrustFinding[] {
  return { claude: claudeTrust, codex: codexTrust, gemini: geminiTrust }[vendor](asked);
}

function claudeTrust({ home, claudeFolder, project, scope }: TrustQuestion): readonly TrustFinding[] {
  const state = settingsAt(join(claudeFolder ?? home, '.claude.json'));
  const known = objectIn(objectIn(state, 'projects'), real(project));
  const isTrusted = known['hasTrustDialogAccepted'] === true;
  const folder = finding('folder trusted', isTrusted, 'start claude here once and trust the folder');
  if (scope === 'user') return [folder];
  const isEnabled = listIn(known, 'enabledMcpjsonServers').includes('baton');
  return [folder, finding('MCP server approved', isEnabled, 'start claude here once and approve the server "baton"')];
}

function codexTrust({ home, codexFolder, project, scope, folder }: TrustQuestion): readonly TrustFinding[] {
  const own = codexFolder ?? join(home, '.codex');
  const text = textAt(join(own, 'config.toml'));
  const trusted = ancestorsOf(real(project)).some((path) =>
    new RegExp(`\\[projects\\.${literal(JSON.stringify(path))}\\][^[]*trust_level\\s*=\\s*"trusted"`).test(text),
  );
  const hooks = join(scope === 'user' ? own : join(real(folder), '.codex'), 'hooks.json');
  const count = text
    .split('[hooks.state.')
    .filter((part) => part.includes(hooks) && part.includes('trusted_hash')).length;
  const all = HOOK_EVENTS.codex.length;
  return [
    finding('folder trusted', trusted, 'start codex here once and trust the folder'),
    finding(
      `hooks trusted (${Math.min(count, all)} of ${all})`,
      count >= all,
      'start codex here once and trust the hooks',
    ),
  ];
}

function geminiTrust({ home, project }: TrustQuestion): readonly TrustFinding[] {
  const folders = settingsAt(join(home, '.gemini', 'trustedFolders.json'));
  const path = real(project);
  const isTrusted = ancestorsOf(path).some((each) => /^TRUST_(?:FOLDER|PARENT)$/.test(textIn(folders, each) ?? ''));
  return [finding('folder trusted', isTrusted, 'start gemini here once and trust the folder')];
}

function finding(what: string, is: boolean, todo: string): TrustFinding {
  return is ? { what, is: 'yes' } : { what, is: 'no', todo };
}

/** The path itself and every folder above it. */
function ancestorsOf(path: string): readonly string[] {
  return dirname(path) === path ? [path] : [path, ...ancestorsOf(dirname(path))];
}

function real(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function textAt(path: string): string {
  return orNull(() => readFileSync(path, 'utf8')) ?? '';
}

function settingsAt(path: string): JsonObject {
  const read = readJson(textAt(path));
  return read.ok && isJsonObject(read.value.value) ? read.value.value : {};
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
