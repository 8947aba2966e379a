/**
 * What a test does inside of a shadow: the commands of a project, and where its sources are. Made from the manifest and
 * the content of the snapshot; the rubric turns it into questions.
 */
/** Shell commands for inside; null where the project has nothing to run, which earns nothing. */
export interface ProjectCommands {
  readonly install: string | null;
  /** Prints `<blob id> <path>` for each installed file, to be compared with the snapshot. */
  readonly installedFiles: string | null;
  readonly imports: string | null;
  readonly cli: string | null;
  /** Loads the modules that changed, or the entry where none did. */
  readonly modules: string | null;
  readonly test: string | null;
  /** Only the tests of what changed; null where they cannot be told apart. */
  readonly affectedTest: string | null;
  /** Installs and tests the commit before the change. */
  readonly baseTest: string | null;
  /** Tests use what `install` has installed, and so come after it. */
  readonly testNeedsInstall: boolean;
}

/** What `baton.yaml` may say instead of what is detected. */
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
  /** The host's own name and the host user's home, which must not be seen inside. */
  readonly hostName: string;
}

/** Folders inside of a shadow that commands rely on. */
export const INSIDE = {
  home: '/home/shadow',
  snapshots: '/snapshots',
  support: '/opt/shadow',
  work: '/workspace',
  cache: '/cache',
} as const;

/** The name of the host inside. */
export const SHADOW_HOSTNAME = 'shadow';

/** Names of variables that a command inside sees; anything else came from the host. */
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

/** Variables of tools, which point them to the snapshots and keep them from waiting for a network. */
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
