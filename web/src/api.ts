/** The public HTTP interface of the server. Nothing here is private to the dashboard. */
import { signal } from '@preact/signals';
import type * as z from 'zod';
import type { IngestedShape, WorkflowsShape } from '../../src/interfaces/shared/report/shapes.ts';
import type * as shapes from '../../src/interfaces/shared/view-shapes.ts';
import type { FactView, HandoffView, WholeView } from '../../src/interfaces/shared/views.ts';
import type { RowView } from '../../src/interfaces/shared/work-progress.ts';

export type { FactView, HandoffView };

/** A handoff in a list. An event about a handoff that no list has shown does not name its number of attempts. */
export type Row = HandoffView & Partial<RowView>;
export type HandoffDetail = WholeView & Row & { readonly facts: readonly FactView[]; readonly may?: readonly string[] };

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

/** A problem that the server answered (RFC 9457). */
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

/** Why the session of this browser is over; null as long as it is good. */
export const signedOut = signal<string | null>(null);

let csrf: string | null = null;

export async function loadSession(): Promise<Session> {
  const session = await getJson<Session>('/api/session');
  ({ csrf } = session);
  signedOut.value = null;
  return session;
}

export async function getJson<Answer>(path: string, abort?: AbortSignal): Promise<Answer> {
  const answer = await fetch(path, { headers: { accept: 'application/json' }, ...(abort ? { signal: abort } : {}) });
  return read<Answer>(answer);
}

export async function postJson<Answer>(
  path: string,
  body: unknown,
  more: Record<string, string> = {},
): Promise<Answer> {
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

export async function sendDelete(path: string): Promise<void> {
  const answer = await fetch(path, { method: 'DELETE', headers: csrf === null ? {} : { 'x-baton-csrf': csrf } });
  if (!answer.ok) await read(answer);
}

/** For an effect: passes the answer on, unless the effect ends first. A failure leaves what is shown. */
export function readInto<Answer>(path: string, take: (answer: Answer) => void): () => void {
  const over = new AbortController();
  getJson<Answer>(path, over.signal).then(take, () => undefined);
  return () => over.abort();
}

/** For an effect, like `readInto`: the legs of the chain that the handoff belongs to. */
export function readChain(id: string, take: (legs: readonly HandoffView[]) => void): () => void {
  const path = `/api/handoffs/${encodeURIComponent(id)}/chain`;
  return readInto<{ readonly items: readonly HandoffView[] }>(path, ({ items }) => take(items));
}

/** Ends the session. The page is loaded again, and asks for a link. */
export async function signOut(): Promise<void> {
  await sendDelete('/api/session');
  location.reload();
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
    said.detail ?? `the server returned status ${answer.status}`,
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
