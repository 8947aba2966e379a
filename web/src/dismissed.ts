/** What somebody has put away in this browser: for an hour, or until something happens to it. */
import { signal } from '@preact/signals';
import type { Row } from './api.ts';

const KEY = 'baton-put-away';
const KEPT = 500;

interface Entry {
  readonly id: string;
  readonly revision: number;
  readonly untilMs: number | null;
}

const entries = signal<readonly Entry[]>(read());

function read(): readonly Entry[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? (kept as readonly Entry[]) : [];
  } catch {
    return [];
  }
}

/** Null: until it moves. */
export function putAway({ id, revision }: Row, minutes: number | null): void {
  const untilMs = minutes === null ? null : Date.now() + minutes * 60_000;
  entries.value = [...entries.value.filter((entry) => entry.id !== id), { id, revision, untilMs }].slice(-KEPT);
  localStorage.setItem(KEY, JSON.stringify(entries.value));
}

export function isPutAway({ id, revision }: Row, nowMs: number): boolean {
  const entry = entries.value.find((each) => each.id === id);
  return entry !== undefined && entry.revision === revision && (entry.untilMs === null || entry.untilMs > nowMs);
}
