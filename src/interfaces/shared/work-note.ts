/** What one fact says about the work on a handoff. The dashboard uses it too, so it imports nothing at run time. */
import type { Fact } from '../../domain/facts.ts';

const TEXT_MAX = 300;

/** `At` is how the instants are written: milliseconds in the server, text in the dashboard. */
export interface WorkNote<At = number> {
  readonly failure?: { readonly code: string; readonly message: string; readonly at: At };
  readonly progress?: { readonly fraction: number | null; readonly says: string | null; readonly at: At };
}

interface NotedFact<At> extends Pick<Fact, 'deed' | 'from' | 'to' | 'by'> {
  readonly at: At;
}

/** Returns null where the fact says nothing about the work. */
export function noteIn<At>(
  { deed, from, to, by, at }: NotedFact<At>,
  detail: Readonly<Record<string, unknown>>,
): WorkNote<At> | null {
  const text = (name: string): string | null => {
    const value = detail[name];
    return typeof value === 'string' ? value.slice(0, TEXT_MAX) : null;
  };
  if (deed === 'progress') {
    const { fraction } = detail;
    return { progress: { fraction: typeof fraction === 'number' ? fraction : null, says: text('says'), at } };
  }
  if (from === to) return null;
  // A handoff that the system released was not given back: its worker is gone.
  const isLost = deed === 'release' && by === 'system';
  const code = text('code') ?? CODES[deed] ?? (isLost ? 'WORKER_LOST' : null);
  return code === null ? null : { failure: { code, message: text('message') ?? text('reason') ?? '', at } };
}

/** For facts without a code of their own. */
const CODES: Readonly<Partial<Record<Fact['deed'], string>>> = {
  fail: 'FAILED',
  retry: 'FAILED',
  reject: 'REJECTED',
  expire: 'EXPIRED',
  rework: 'CHANGES_REQUESTED',
  reoffer: 'CHANGES_REQUESTED',
};
