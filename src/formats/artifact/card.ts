/** Text forms of the registry's cards and of the registry. Only Baton writes them, but damaged texts are detected. */
import { instantText } from '../../foundation/instant-text.ts';
import { digestOf } from '../../foundation/digest.ts';
import { isJsonObject, type Json, type JsonObject } from '../../foundation/json.ts';
import { orNull } from '../../foundation/or-null.ts';
import { ARTIFACT_STATUSES, type ArtifactCard } from '../../domain/artifacts.ts';
import { readAgentId, readArtifactId, readHandoffId, type ArtifactId } from '../../domain/names.ts';

export function writeCard(card: ArtifactCard): string {
  return JSON.stringify(entryOf(card));
}

/** Null: not written by Baton, or incomplete. */
export function readCard(text: string): ArtifactCard | null {
  return orNull(() => cardOf(JSON.parse(text) as Json));
}

/** One line for each card, so that adding cards needs no parsing of the others. */
export type RegistryLines = ReadonlyMap<ArtifactId, string>;

/** In the order of their ids: the same cards make the same text. */
export function writeRegistry(lines: RegistryLines): string {
  const sorted = [...lines].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  const entries = sorted.join(',\n');
  const list = sorted.length === 0 ? '[]' : `[\n${entries}\n]`;
  return `{"schema_version":"1.0","digest":"${digestOf(entries)}","artifacts":${list}}\n`;
}

const LINE_ID = /^\{"artifact_id":"([A-Za-z0-9._-]{1,128})",/;

/** Null: it was edited or damaged. It can be made again from the cards. */
export function readRegistry(text: string): Map<ArtifactId, string> | null {
  const head = /^\{"schema_version":"1\.0","digest":"([\w-]{43})","artifacts":(?:\[\]|\[\n)/.exec(text);
  if (head === null) return null;
  const [whole, digest] = head;
  const entries = whole.endsWith('[]') ? '' : text.slice(whole.length, -'\n]}\n'.length);
  if (digestOf(entries) !== digest) return null;
  const lines = new Map<ArtifactId, string>();
  for (const line of entries === '' ? [] : entries.split(',\n')) {
    const id = LINE_ID.exec(line)?.[1];
    if (id === undefined) return null;
    lines.set(id as ArtifactId, line);
  }
  return lines;
}

export function cardsIn(lines: RegistryLines): readonly ArtifactCard[] {
  return [...lines.values()].map(readCard).filter((card) => card !== null);
}

/** In the words of the published schema. */
export function entryOf(card: ArtifactCard): JsonObject {
  return {
    artifact_id: card.id,
    artifact_type: card.type,
    artifact_version: card.version,
    status: card.status,
    status_since: instantText(card.since),
    created_at: instantText(card.createdAt),
    phase: card.phase,
    agent_id: card.agent === null ? null : `@${card.agent}`,
    handoff_id: card.handoff,
    path: card.path,
    sha256: card.sha256,
    dependencies: { required: card.required, optional: card.optional },
    files: card.files.map(({ path, sha256 }) => ({ path, sha256 })),
    flaw: card.flaw,
  };
}

function cardOf(entry: Json): ArtifactCard | null {
  if (!isJsonObject(entry)) return null;
  const { dependencies, files, phase, flaw } = entry;
  const id = readArtifactId(text(entry['artifact_id']) ?? '');
  const status = ARTIFACT_STATUSES.find((each) => each === entry['status']);
  const type = text(entry['artifact_type']);
  const version = text(entry['artifact_version']);
  const path = text(entry['path']);
  const sha256 = text(entry['sha256']);
  const since = Date.parse(text(entry['status_since']) ?? '');
  const createdAt = Date.parse(text(entry['created_at']) ?? '');
  if (id === null || status === undefined || type === null || version === null || path === null) return null;
  if (sha256 === null || Number.isNaN(since + createdAt) || !isJsonObject(dependencies) || !Array.isArray(files))
    return null;
  return {
    id,
    type,
    version,
    status,
    since,
    createdAt,
    phase: typeof phase === 'number' ? phase : null,
    agent: readAgentId(text(entry['agent_id']) ?? ''),
    handoff: readHandoffId(text(entry['handoff_id']) ?? ''),
    path,
    sha256,
    required: idsIn(dependencies['required']),
    optional: idsIn(dependencies['optional']),
    files: files.flatMap((each: Json) => {
      const [file, hash] = isJsonObject(each) ? [text(each['path']), text(each['sha256'])] : [null, null];
      return file === null || hash === null ? [] : [{ path: file, sha256: hash }];
    }),
    flaw: text(flaw),
  };
}

function idsIn(list: Json | undefined): readonly ArtifactId[] {
  const ids = Array.isArray(list) ? list.map((each: Json) => readArtifactId(text(each) ?? '')) : [];
  return ids.filter((id) => id !== null);
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
