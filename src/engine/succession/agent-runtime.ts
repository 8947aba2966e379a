/** The dependencies of successions: terminals, adapters, hooks, files and settings. */
import type { AdapterName, AgentSession } from '../../domain/agent-session.ts';
import type { AgentId } from '../../domain/names.ts';
import type { SuccessionErrorCode } from '../../domain/succession.ts';
import type { GitState, PersonaTexts } from '../../formats/succession-note/write.ts';
import type { AgentAdapter, AgentHost, AgentJournal, WakeNotes } from '../../agents/agent-host.ts';

export interface AgentRuntime {
  readonly host: AgentHost;
  adapterOf(name: AdapterName): AgentAdapter;
  readonly journal: AgentJournal;
  readonly personaFiles: PersonaFiles;
  /** The place whose agents can be driven from here. */
  readonly place: string;
  readonly settings: SuccessionSettings;
  /** Time limits. Tests shorten them. */
  readonly limits: SuccessionLimits;
  /** The command line of Baton itself, for hooks. */
  readonly baton: readonly string[];
  /** Variables for every agent that is started. */
  readonly env: Readonly<Record<string, string>>;
  readonly wake: {
    readonly notes: WakeNotes;
    /** The operator allows that lines are typed into the terminals of idle agents. */
    readonly isTyped: boolean;
  };
  /** Null: this workspace needs no tokens. */
  readonly tokens: AgentTokens | null;
  /** Null: the program can be run. Otherwise the reason. */
  whyNotRunnable(argv: readonly string[], timeoutMs: number): Promise<string | null>;
}

/** Each session of a persona has its own token, so that a retired session can no longer act in its name. */
interface AgentTokens {
  /** Makes a token that is valid once it is saved. The session stores its id first, so that every token has an owner. */
  make(persona: AgentId, label: string): NewAgentToken;
}

interface NewAgentToken {
  readonly id: string;
  readonly secret: string;
  save(): Promise<void>;
}

/** Personas, documents and the state of a repository. */
export interface PersonaFiles {
  /** Null: there is no `skill.md` for it. */
  persona(persona: AgentId): Promise<PersonaTexts | null>;
  /** The real path of the folder for documents of a persona; it is made if it is not there. */
  documentFolder(persona: AgentId): Promise<string>;
  /** The folder for one agent in the private folder of the workspace; it is made if it is not there. */
  privateFolder(agent: number): Promise<string>;
  write(path: string, text: string): Promise<void>;
  documentStatus(path: string): Promise<DocumentStatus>;
  read(path: string): Promise<{ readonly text: string; readonly sha256: string }>;
  git(cwd: string): Promise<GitState | null>;
  exists(cwd: string, path: string): boolean;
}

export type DocumentStatus =
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly says: string }
  /** `mark` changes whenever the file does. */
  | { readonly kind: 'file'; readonly size: number; readonly modifiedAt: number; readonly mark: string };

/** What the workspace configures. */
interface SuccessionSettings {
  /** Begins handovers automatically when an agent is full or near its usage limit. */
  readonly automatic: boolean;
  /** After a usage limit: agents of other vendors, in order of preference. */
  readonly fallback: readonly AdapterName[];
  /** The command of an adapter, where it is not the program that it is named after. */
  readonly commands: ReadonlyMap<AdapterName, readonly string[]>;
}

export const SUCCESSION_LIMITS = {
  /** From the instruction to the document. */
  documentMs: 300_000,
  /** The operator is notified of a dialog that is open for longer. */
  dialogNoticeMs: 30_000,
  arrivalMs: 2_000,
  /** For how long an agent that ended its turn without a document must be idle before that counts. */
  idleMs: 5_000,
  /** A complete document that has not changed for this long is finished, even without a hook. */
  quietMs: 10_000,
  retireMs: 5_000,
  /** For `--version` of the successor's program. On a busy machine a program that is not cached takes 10 s and more. */
  checkMs: 60_000,
  readyMs: 15_000,
  primingMs: 120_000,
  acknowledgeMs: 300_000,
};
export type SuccessionLimits = Readonly<typeof SUCCESSION_LIMITS>;

/** What went wrong, for the operator: what happened, and what to do. */
export interface SuccessionFailure {
  readonly code: SuccessionErrorCode;
  readonly says: string;
  readonly todo: string;
}

/** Null: the program of this adapter answers. Otherwise which program does not, and why. */
export async function whyNotRunnable(
  runtime: Pick<AgentRuntime, 'adapterOf' | 'whyNotRunnable' | 'limits'>,
  { adapter, command }: Pick<AgentSession, 'adapter' | 'command'>,
): Promise<{ readonly program: string; readonly says: string } | null> {
  const check = runtime.adapterOf(adapter).check({ command });
  const [argv, limitMs] = check.length > 0 ? [check, runtime.limits.checkMs] : [command.slice(0, 1), 0];
  const says = await runtime.whyNotRunnable(argv, limitMs);
  return says === null ? null : { program: argv[0] || adapter, says };
}

/** The adapter and command of the session that follows: after a usage limit, of another vendor if there is one. */
export function successorKind(
  { settings }: Pick<AgentRuntime, 'settings'>,
  { adapter, command, succession }: AgentSession,
): { readonly adapter: AdapterName; readonly command: readonly string[] } {
  const other = settings.fallback.find((each) => each !== adapter);
  if (succession?.reason !== 'usage_limit' || other === undefined) return { adapter, command };
  return { adapter: other, command: settings.commands.get(other) ?? [] };
}
