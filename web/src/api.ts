/** The public interface of the server, as a browser uses it. Nothing here is private to the dashboard. */
import { signal } from '@preact/signals';
import type * as z from 'zod';
import type { IngestedShape, WorkflowsShape } from '../../src/interfaces/shared/report/shapes.ts';
import type * as shapes from '../../src/interfaces/shared/view-shapes.ts';
import type { FactView, HandoffView, WholeView } from '../../src/interfaces/shared/views.ts';
import type { RowView } from '../../src/interfaces/shared/work-progress.ts';

export type { FactView, HandoffView };

/** A handoff in a list. An event about a handoff that no list has shown does not name its number of attempts. */
export type Row = HandoffView & Partial<RowView>;
export type Shown = WholeView & Row & { readonly facts: readonly FactView[]; readonly may?: readonly string[] };

export type Session = z.output<typeof shapes.SessionShape>;
export type ListPage = Omit<z.output<typeof shapes.PageShape>, 'items'> & { readonly items: readonly Row[] };
export type TotalsAnswer = z.output<typeof shapes.TotalsShape>;
export type BatchAnswer = z.output<typeof shapes.BatchShape>;
export type AgentsAnswer = z.output<typeof shapes.AgentsShape>;
export type AttemptsAnswer = z.output<typeof shapes.AttemptsShape>;
export type MetricsAnswer = Omit<z.output<typeof shapes.SummaryShape>, 'oldestWaiting'> & {
  readonly oldestWaiting: readonly Row[];
};
export type TokensAnswer = z.output<typeof shapes.TokensShape>;
export type SessionsAnswer = z.output<typeof shapes.SessionsShape>;
export type PolicyAnswer = z.output<typeof shapes.PolicyShape>;
export type UndeliveredAnswer = z.output<typeof shapes.UndeliveredShape>;
export type QuarantineAnswer = z.output<typeof shapes.QuarantineShape>;
export type WorkflowsAnswer = z.output<typeof WorkflowsShape>;
export type IngestedAnswer = z.output<typeof IngestedShape>;

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

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
