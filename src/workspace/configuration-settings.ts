/**
 * Where each setting of `baton.yaml` holds. `shared`: all processes follow the version that is stored in their database.
 * `local`: each process follows its own file.
 *
 * The stored policy, its comparison with a file, the annotations of the JSON Schema and the table in
 * docs/reference/configuration.md are made from this table. It must not load the schema library, because every command
 * reads it.
 */
import { canonicalJson } from '../foundation/canonical-json.ts';
import { readAgentId } from '../domain/names.ts';
import type { ConfigurationText } from './configuration-shape.ts';

export type SettingScope = 'shared' | 'local';

export type AgentText = NonNullable<NonNullable<ConfigurationText['agents']>[string]>;

/** A setting that the shape has and this table lacks does not compile. */
type SettingsOf<Text> = {
  readonly [Key in keyof Text]-?: SettingScope | { readonly [Inner in keyof NonNullable<Text[Key]>]-?: SettingScope };
};

const SETTINGS = {
  project: 'local',
  me: 'local',
  database: 'local',
  identity: 'shared',
  limits: 'shared',
  verifiers: 'shared',
  lease_seconds: 'shared',
  retry: 'shared',
  clocks: { queue: 'shared', documents: 'shared' },
  evidence: { commands: 'shared', timeout_seconds: 'shared' },
  chains: 'shared',
  report: { assurance: 'shared' },
  secrets: 'shared',
  notifications: { desktop: 'local', webhooks: 'shared', allow_hosts: 'shared' },
  folders: {
    queue: 'local',
    documents: 'local',
    queue_as: 'shared',
    queue_missing_schema: 'shared',
    queue_users: 'local',
    queue_groups: 'local',
    queue_keep_days: 'local',
    queue_keep_files: 'local',
  },
  retention: { days: 'shared', archive: 'local' },
  tasks: 'local',
  server: 'local',
  shadow: {
    runtime: 'local',
    image: 'local',
    containerfile: 'local',
    cache: 'local',
    project_type: 'local',
    commands: 'local',
    require_limits: 'shared',
    host_only: 'shared',
    memory_mb: 'local',
    processes: 'local',
    command_seconds: 'local',
    test_seconds: 'local',
    life_seconds: 'local',
  },
  succession: 'local',
  wake: 'local',
  check: 'local',
} as const satisfies SettingsOf<Omit<ConfigurationText, 'agents'>>;

const AGENT_SETTINGS = {
  limits: 'shared',
  roles: 'shared',
  schemas: 'shared',
  phase: 'shared',
  agent_type: 'shared',
  command: 'local',
  concurrency: 'local',
} as const satisfies { readonly [Key in keyof AgentText]-?: SettingScope };

type Values = Readonly<Record<string, unknown>>;
type Table = Readonly<Record<string, SettingScope | Readonly<Record<string, SettingScope>>>>;

/** Each setting with its path, such as `agents.NAME.limits`; the order is that of the documentation. */
export function allSettings(): readonly { readonly path: string; readonly kept: SettingScope }[] {
  const agents = Object.entries(AGENT_SETTINGS).map(([name, kept]) => ({ path: `agents.NAME.${name}`, kept }));
  const others = Object.entries<Table[string]>(SETTINGS).flatMap(([name, kept]) =>
    typeof kept === 'string'
      ? [{ path: name, kept }]
      : Object.entries(kept).map(([inner, each]) => ({ path: `${name}.${inner}`, kept: each })),
  );
  return [...others, ...agents];
}

/** The settings of one kind, without agents that have none of them. */
export function settingsOf(text: ConfigurationText, kept: SettingScope): ConfigurationText {
  const agents = Object.entries(text.agents ?? {}).flatMap(([name, agent]) => {
    const own = pick(agent ?? {}, AGENT_SETTINGS, kept);
    return Object.keys(own).length === 0 ? [] : [[readAgentId(name) ?? name, own] as const];
  });
  return {
    ...pick(text, SETTINGS, kept),
    ...(agents.length === 0 ? {} : { agents: Object.fromEntries(agents) }),
  };
}

function pick(values: Values, table: Table, kept: SettingScope): Values {
  const picked = Object.entries(table).flatMap(([name, each]): [string, unknown][] => {
    const value = values[name];
    if (value === undefined) return [];
    if (typeof each === 'string') return each === kept ? [[name, value]] : [];
    const inner = pick(value as Values, each, kept);
    return Object.keys(inner).length === 0 ? [] : [[name, inner]];
  });
  return Object.fromEntries(picked);
}

/** What holds for a process: the stored policy, and the local settings of its own file. */
export function effectiveConfiguration(file: ConfigurationText, policy: ConfigurationText): ConfigurationText {
  const own = settingsOf(file, 'local');
  const stored = settingsOf(policy, 'shared');
  const names = Object.keys(file.agents ?? {}).map((name) => readAgentId(name) ?? name);
  const agents = new Set([...names, ...Object.keys(stored.agents ?? {})]);
  const merged = Object.fromEntries(
    [...agents].map((name) => [name, { ...own.agents?.[name], ...stored.agents?.[name] }]),
  );
  return {
    ...own,
    ...stored,
    ...(agents.size === 0 ? {} : { agents: merged }),
    ...Object.fromEntries(MIXED.map((name) => [name, { ...own[name], ...stored[name] }])),
  };
}

type Mixed = keyof {
  [Key in keyof typeof SETTINGS as (typeof SETTINGS)[Key] extends SettingScope ? never : Key]: true;
};

/** Settings with parts, some shared and others local. */
const MIXED = Object.entries<Table[string]>(SETTINGS).flatMap(([name, kept]) =>
  typeof kept === 'string' ? [] : [name as Mixed],
);

export interface Difference {
  /** Such as `limits` or `agents.dev.roles`. */
  readonly key: string;
  /** Null: not set. */
  readonly before: unknown;
  readonly after: unknown;
}

/** The shared settings in which two texts differ, whatever the order of keys. */
export function differencesBetween(before: ConfigurationText, after: ConfigurationText): readonly Difference[] {
  const [old, next] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...old.keys(), ...next.keys()])]
    .map((key) => ({ key, before: old.get(key) ?? null, after: next.get(key) ?? null }))
    .filter((each) => canonicalJson(each.before) !== canonicalJson(each.after));
}

function leavesOf(text: ConfigurationText): ReadonlyMap<string, unknown> {
  const leaves = new Map<string, unknown>();
  const add = (values: Values, table: Table, path: string): void => {
    for (const [name, each] of Object.entries(table)) {
      const value = values[name];
      if (value === undefined) continue;
      if (typeof each !== 'string') add(value as Values, each, `${path}${name}.`);
      else if (each === 'shared') leaves.set(`${path}${name}`, value);
    }
  };
  const { agents = {}, ...others } = settingsOf(text, 'shared');
  add(others, SETTINGS, '');
  for (const [name, agent] of Object.entries(agents)) add(agent ?? {}, AGENT_SETTINGS, `agents.${name}.`);
  return leaves;
}
