/**
 * The plan of a shadow test: the commands of a project and the places of its sources. Made from the manifest and the
 * content of the snapshot. The rubric turns it into questions.
 */
/** Shell commands to run inside the shadow. Null: the project has nothing to run there, which earns no points. */
export interface ProjectCommands {
  readonly install: string | null;
  /** Prints `<blob id> <path>` for each installed file, to be compared with the snapshot. */
  readonly installedFiles: string | null;
  readonly imports: string | null;
  readonly cli: string | null;
  /** Loads the changed modules, or the entry if none changed. */
  readonly modules: string | null;
  readonly test: string | null;
  /** Only the tests of what changed; null: they cannot be determined. */
  readonly affectedTest: string | null;
  /** Installs and tests the commit before the change. */
  readonly baseTest: string | null;
  /** Whether tests need what `install` installs, and have to run after it. */
  readonly testNeedsInstall: boolean;
}

/** Commands in `baton.yaml` that replace the detected ones. */
export interface CommandOverrides {
  readonly install?: string;
  readonly import?: string;
  readonly cli?: string;
  readonly test?: string;
}

export interface TestPlan {
  readonly sources: readonly { readonly repository: string; readonly commit: string }[];
  readonly commands: ProjectCommands;
  /** Path to blob id, of the source under test. */
  readonly tree: ReadonlyMap<string, string>;
  /** The name of the host, which must not be visible inside. */
  readonly hostName: string;
}

/** Folders inside a shadow that commands rely on. */
export const INSIDE = {
  home: '/home/shadow',
  snapshots: '/snapshots',
  support: '/opt/shadow',
  work: '/workspace',
  cache: '/cache',
} as const;

/** The host name inside. */
export const SHADOW_HOSTNAME = 'shadow';

/** The only variables that a command inside may see; any other came from the host. */
export const INSIDE_VARIABLES = [
  'HOME',
  'HOSTNAME',
  'PATH',
  'PWD',
  'OLDPWD',
  'SHLVL',
  'TERM',
  'LANG',
  'TMPDIR',
  'SOURCE',
  'CONSUMER',
  'container',
  '_',
] as const;

/** Variables that point tools to the snapshots and keep them from waiting for a network. */
export const TOOL_VARIABLES = {
  CARGO_NET_GIT_FETCH_WITH_CLI: 'true',
  CARGO_NET_OFFLINE: 'true',
  CI: '1',
  GIT_TERMINAL_PROMPT: '0',
  GOFLAGS: '-mod=mod',
  GONOSUMDB: '*',
  GOPROXY: 'direct',
  GOSUMDB: 'off',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PIP_NO_INPUT: '1',
  PIP_NO_INDEX: '1',
  PYTHONDONTWRITEBYTECODE: '1',
  UV_NO_GITHUB_FAST_PATH: '1',
  npm_config_audit: 'false',
  npm_config_cache: '/tmp/npm-cache',
  npm_config_fetch_retries: '0',
  npm_config_fund: 'false',
  npm_config_https_proxy: 'http://127.0.0.1:3128',
  npm_config_prefer_offline: 'true',
  npm_config_proxy: 'http://127.0.0.1:3128',
  npm_config_update_notifier: 'false',
} as const;
