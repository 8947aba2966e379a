/**
 * What a vendor's own files say about trust: read, never written. These gates belong to the user, and their formats to
 * the vendor; what cannot be read is unknown, not a no.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readJson, type JsonObject } from '../../foundation/json.ts';
import type { Vendor } from '../../domain/vendors.ts';
import { HOOK_EVENTS, type Place } from './vendor-files.ts';

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
  switch (vendor) {
    case 'claude':
      return claudeTrust(asked);
    case 'codex':
      return codexTrust(asked);
    case 'gemini':
      return geminiTrust(asked);
  }
}

function claudeTrust({ home, claudeFolder, project, scope }: TrustQuestion): readonly TrustFinding[] {
  const state = settingsAt(join(claudeFolder ?? home, '.claude.json'));
  const projects = objectAt(state, 'projects');
  const known = objectAt(projects, real(project));
  const isTrusted = known['hasTrustDialogAccepted'] === true;
  const folder = finding('folder trusted', isTrusted, 'start claude here once and trust the folder');
  if (scope === 'user') return [folder];
  const enabled = known['enabledMcpjsonServers'];
  const isEnabled = Array.isArray(enabled) && enabled.includes('baton');
  return [folder, finding('MCP server approved', isEnabled, 'start claude here once and approve the server "baton"')];
}

function codexTrust({ home, codexFolder, project, scope, folder }: TrustQuestion): readonly TrustFinding[] {
  const own = codexFolder ?? join(home, '.codex');
  const text = textAt(join(own, 'config.toml')) ?? '';
  const trusted = [...ancestorsOf(real(project))].some((path) =>
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
  const isTrusted =
    folders[path] === 'TRUST_FOLDER' ||
    [...ancestorsOf(path)].some(
      (each) => folders[each] === 'TRUST_PARENT' || (each !== path && folders[each] === 'TRUST_FOLDER'),
    );
  return [finding('folder trusted', isTrusted, 'start gemini here once and trust the folder')];
}

function finding(what: string, is: boolean, todo: string): TrustFinding {
  return is ? { what, is: 'yes' } : { what, is: 'no', todo };
}

function* ancestorsOf(path: string): Generator<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    yield folder;
    if (dirname(folder) === folder) return;
  }
}

function real(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function settingsAt(path: string): JsonObject {
  const read = readJson(textAt(path) ?? '{}');
  return read.ok && typeof read.value.value === 'object' && read.value.value !== null
    ? (read.value.value as JsonObject)
    : {};
}

function objectAt(settings: JsonObject, name: string): JsonObject {
  const value = settings[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
