/** What somebody has to know at once: problems of one's own doing, and handoffs that need a person. */
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { onHeard } from '../collection.ts';
import { titleOf } from '../text.ts';
import { handoffHref } from '../where.ts';

interface Toast {
  readonly key: number;
  readonly tone: 'good' | 'bad' | 'plain';
  readonly says: string;
  readonly href?: string;
}

const LIFE_MS = 7_000;
const KEPT = 4;
const toasts = signal<readonly Toast[]>([]);
let made = 0;

export function say(tone: Toast['tone'], says: string, href?: string): void {
  made += 1;
  const toast: Toast = { key: made, tone, says, ...(href === undefined ? {} : { href }) };
  toasts.value = [...toasts.value, toast].slice(-KEPT);
  setTimeout(() => (toasts.value = toasts.value.filter(({ key }) => key !== toast.key)), LIFE_MS);
}

const NEEDS_SOMEBODY: Readonly<Record<string, string>> = {
  failed: 'failed',
  rejected: 'was rejected',
  expired: 'expired',
};

export function Toasts(): VNode {
  useEffect(
    () =>
      onHeard(({ fact, handoff }) => {
        const what = fact.from === fact.to ? undefined : NEEDS_SOMEBODY[fact.to];
        if (what !== undefined) say('bad', `${titleOf(handoff)} ${what}`, handoffHref(handoff.id));
      }),
    [],
  );
  return (
    <div class="toasts" role="log" aria-live="polite" aria-label="Notifications">
      {toasts.value.map(({ key, tone, says, href }) => (
        <div key={key} class={`toast toast-${tone}`}>
          {href === undefined ? says : <a href={href}>{says}</a>}
        </div>
      ))}
    </div>
  );
}
