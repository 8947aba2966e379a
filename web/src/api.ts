/** The public interface of the server, as a browser uses it. Nothing here is private to the dashboard. */
import { signal } from '@preact/signals';
import type { FactView, HandoffView, WholeView } from '../../src/interfaces/shared/views.ts';

export type { FactView, HandoffView };

interface Worked {
  readonly attemptsMax?: number;
  readonly lastFailure?: { readonly code: string; readonly message: string; readonly at: string };
  readonly progress?: { readonly fraction: number | null; readonly says: string | null; readonly at: string };
}
/** A handoff as lists have it. */
export type Row = HandoffView & Worked;
export type Shown = WholeView & Worked & { readonly facts: readonly FactView[]; readonly may?: readonly string[] };

export interface Session {
  readonly principal: string;
  readonly agent: string | null;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly csrf: string | null;
  readonly project: string | null;
  readonly version: string;
  readonly now: string;
}

export interface ListPage {
  readonly items: readonly Row[];
  readonly next: string | null;
  /** Where to begin with the events to miss nothing of it. */
  readonly cursor: string;
}

export interface TotalsAnswer {
  readonly totals: Readonly<Record<string, number>>;
  readonly all: number;
}

export interface BatchAnswer {
  readonly items: readonly {
    readonly id: string;
    readonly handoff?: HandoffView;
    readonly problem?: { readonly code: string; readonly detail: string };
  }[];
}

/** What the server says when it does not do what it was asked: RFC 9457. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

/** Why this browser is not let in any more; null as long as it is. */
export const signedOut = signal<string | null>(null);

let csrf: string | null = null;

export async function whoAmI(): Promise<Session> {
  const session = await ask<Session>('/api/session');
  ({ csrf } = session);
  signedOut.value = null;
  return session;
}

export async function ask<Answer>(path: string, abort?: AbortSignal): Promise<Answer> {
  const answer = await fetch(path, { headers: { accept: 'application/json' }, ...(abort ? { signal: abort } : {}) });
  return read<Answer>(answer);
}

export async function tell<Answer>(path: string, body: unknown, more: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(csrf === null ? {} : { 'x-baton-csrf': csrf }),
      ...more,
    },
    body: JSON.stringify(body),
  });
  return read<Answer>(answer);
}

export async function discard(path: string): Promise<void> {
  const answer = await fetch(path, { method: 'DELETE', headers: csrf === null ? {} : { 'x-baton-csrf': csrf } });
  if (!answer.ok) await read(answer);
}

export async function signOut(): Promise<void> {
  await discard('/api/session');
}

async function read<Answer>(answer: Response): Promise<Answer> {
  if (answer.ok) {
    signedOut.value = null;
    return (await answer.json()) as Answer;
  }
  const said = (await answer.json().catch(() => ({}))) as { readonly code?: string; readonly detail?: string };
  const problem = new Problem(
    answer.status,
    said.code ?? 'fault',
    said.detail ?? `the server answered ${answer.status}`,
  );
  if (answer.status === 401) signedOut.value = problem.message;
  throw problem;
}

export function query(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  return pairs.length === 0
    ? ''
    : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()}`;
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
