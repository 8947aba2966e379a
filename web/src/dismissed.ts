/** Handoffs that the reader has dismissed in this browser, for a time or until they change. */
import { signal } from '@preact/signals';
import type { Row } from './api.ts';

const KEY = 'baton-put-away';
const KEPT = 500;

interface Entry {
  readonly id: string;
  readonly revision: number;
  readonly untilMs: number | null;
}

const entries = signal(storedList(KEY) as readonly Entry[]);

/** A list that this browser has stored. What is no list is an empty one. */
export function storedList(key: string): readonly unknown[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** `minutes` of null: until the handoff changes. */
export function dismissRow({ id, revision }: Row, minutes: number | null): void {
  const untilMs = minutes === null ? null : Date.now() + minutes * 60_000;
  entries.value = [...entries.value.filter((entry) => entry.id !== id), { id, revision, untilMs }].slice(-KEPT);
  localStorage.setItem(KEY, JSON.stringify(entries.value));
}

export function isDismissed({ id, revision }: Row, nowMs: number): boolean {
  const entry = entries.value.find((each) => each.id === id);
  return entry !== undefined && entry.revision === revision && (entry.untilMs === null || entry.untilMs > nowMs);
}
