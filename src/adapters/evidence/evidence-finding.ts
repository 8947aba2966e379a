import type { Check, Evidence } from '../../domain/evidence.ts';
import type { CommandPolicy, EvidenceFor } from '../../engine/evidence-checker.ts';
import type { Store } from '../../stores/store.ts';
import type { Ran } from './run-bounded.ts';

export interface EvidenceCheckerOptions {
  readonly folder: string;
  readonly store: Pick<Store, 'load' | 'facts'>;
  /** The worker chooses the command, so the workspace must allow commands first, or provide a sandbox. */
  readonly commands: CommandPolicy;
  readonly commandTimeoutMs: number;
  /** Where identity is strict, no command runs that could read the tokens of others. */
  readonly isStrict: boolean;
  /** Called only when a command is to run in a sandbox. */
  openSandbox(): Promise<SandboxForCommands>;
}

export interface SandboxForCommands {
  /** Whether a container runtime is installed. */
  readonly isInstalled: boolean;
  run(command: string, options: SandboxRun): Promise<Ran | string>;
}

export interface SandboxRun {
  readonly folder: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What every check of a piece of evidence is given. */
export interface CheckRequest {
  readonly handoff: EvidenceFor;
  readonly options: EvidenceCheckerOptions;
  readonly signal?: AbortSignal | undefined;
}

/** What a check of files or commits is given. */
export interface FolderCheckRequest extends Omit<CheckRequest, 'options'> {
  readonly options: Pick<EvidenceCheckerOptions, 'folder'>;
}

export type EvidenceOf<Kind extends Evidence['kind']> = Extract<Evidence, { readonly kind: Kind }>;

/** The result of one check. Without evidence there is nothing to check again. */
export interface Finding extends Pick<Check, 'verdict' | 'says'> {
  readonly evidence: Evidence | null;
}

export function seen(evidence: Evidence, says: string): Finding {
  return { evidence, verdict: 'true', says };
}

export function held(evidence: Evidence, says: string): Finding {
  return { evidence, verdict: 'held', says };
}

export function untrue(says: string): Finding {
  return { evidence: null, verdict: 'false', says };
}

/** A name that came from outside, for a sentence: in quotes, and cut where it is long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text);
}

const QUOTED_MAX = 200;

/** Whether both databases can store the text. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}
