/**
 * Shadow environments (protocol V): failure codes with advice, the manifest of a test, and the names of sources. Pure.
 */
import type { ShadowId } from './names.ts';

interface ShadowError {
  /** Other names in the specification and in other programs. */
  readonly aliases: readonly string[];
  readonly says: string;
  readonly todo: string;
}

export const SHADOW_ERRORS = {
  docker_not_installed: {
    aliases: ['container_runtime_not_installed'],
    says: 'no container runtime is installed',
    todo: 'install podman (apt-get install podman runc uidmap) or docker, then run: baton shadow preflight',
  },
  docker_not_running: {
    aliases: ['docker_unavail', 'container_daemon_not_running'],
    says: 'the container runtime is installed, but does not answer',
    todo: 'start it (systemctl start docker, or podman machine start), then run: baton shadow preflight',
  },
  image_not_found: {
    aliases: ['image_not_available'],
    says: 'the shadow image is missing',
    todo: 'build it with: baton shadow build-image, or correct shadow.image in baton.yaml',
  },
  build_failed: {
    aliases: ['image_build_failed'],
    says: 'the shadow image could not be built',
    todo: 'read the output of: baton shadow build-image, and correct the Containerfile named in baton.yaml',
  },
  create_failed: {
    aliases: [],
    says: 'the container could not be created',
    todo: 'run: baton shadow preflight, which says what this machine lacks',
  },
} as const satisfies Record<string, ShadowError>;

export type ShadowErrorCode = keyof typeof SHADOW_ERRORS;

/** A failure of an operation: the code, what happened, and what to do. */
export interface ShadowProblem {
  readonly code: ShadowErrorCode;
  readonly says: string;
  readonly todo: string;
}

export function shadowProblem(code: ShadowErrorCode, says?: string, todo?: string): ShadowProblem {
  const known = SHADOW_ERRORS[code];
  return { code, says: says ?? known.says, todo: todo ?? known.todo };
}

/** Accepts a code or one of its aliases; null: unknown. */
export function readShadowErrorCode(word: string): ShadowErrorCode | null {
  const codes = Object.keys(SHADOW_ERRORS) as ShadowErrorCode[];
  return (
    codes.find((code) => code === word || (SHADOW_ERRORS[code].aliases as readonly string[]).includes(word)) ?? null
  );
}

export const PROJECT_TYPES = ['python', 'node', 'rust', 'go'] as const;
export type ProjectType = (typeof PROJECT_TYPES)[number];

interface ManifestSource {
  /** As the operator wrote it, `~` included. */
  readonly path: string;
  /** `org/name` on GitHub. */
  readonly repository: string;
  /** Null: no shadow could be made. */
  readonly snapshotCommit: string | null;
}

/** The only input of a test. */
export interface ShadowManifest {
  readonly shadowId: ShadowId | null;
  readonly shadowAvailable: boolean;
  readonly localSources: readonly ManifestSource[];
  readonly changedFiles: readonly string[];
  readonly affectedModules: readonly string[];
  readonly projectType: ProjectType | null;
  readonly fallbackMode: boolean;
  readonly failureReason: ShadowErrorCode | null;
}

/** GitHub's rule, with a length limit. Names that differ only in case are the same repository. */
const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

export const REPOSITORY_RULE = 'a repository is ORG/NAME as on GitHub: letters, digits, ".", "_" and "-"';

export function isRepository(text: string): boolean {
  return REPOSITORY.test(text) && !text.includes('..') && !/\.git$/i.test(text) && !text.endsWith('.');
}

/** The path of a snapshot below the folder of snapshots. The redirect finds it by this path. */
export function snapshotKey(repository: string): string {
  return `github.com/${repository.toLowerCase()}.git`;
}

export interface SourceRequest {
  readonly path: string;
  /** Null: taken from the address of the repository's origin. */
  readonly repository: string | null;
}

/** `path:org/name`, or a path alone. A path may contain colons, so only the last one before a repository name counts. */
export function readSource(text: string): SourceRequest | null {
  const at = text.lastIndexOf(':');
  const after = text.slice(at + 1);
  if (at > 0 && isRepository(after)) return { path: text.slice(0, at), repository: after };
  return text.trim() === '' || text.includes('\u0000') ? null : { path: text, repository: null };
}

/** `org/name` of a GitHub address in any spelling; null: another host. */
export function repositoryOfAddress(address: string): string | null {
  const found = /^(?:[a-z+]+:\/\/)?(?:[^@/]+@)?(?:www\.)?github\.com(?::\d+)?[/:]+([^/]+\/[^/]+?)(?:\.git)?\/*$/i.exec(
    address.trim(),
  );
  const repository = found?.[1] ?? '';
  return isRepository(repository) ? repository : null;
}

/** The limits of a sandbox. Each is read back from inside where possible. */
export const LIMIT_NAMES = [
  'network',
  'capabilities',
  'privileges',
  'system_calls',
  'read_only_root',
  'memory',
  'processes',
  'cpu',
  'disk',
  'time',
  'output',
] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

export interface LimitState {
  readonly name: LimitName;
  readonly enforced: boolean;
  /** The value, or why the limit is not enforced here and what to do. */
  readonly says: string;
}

export function unenforced(limits: readonly LimitState[]): readonly LimitState[] {
  return limits.filter(({ enforced }) => !enforced);
}

/** Quotes a text as one word of a shell command. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
