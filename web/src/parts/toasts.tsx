/** Short messages: the result of an action, and handoffs that ended badly. */
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { messageOf } from '../../../src/foundation/error-message.ts';
import { onLiveEvent } from '../live.ts';
import { titleOf } from '../text.ts';
import { handoffHref } from '../location.ts';

interface Toast {
  readonly key: number;
  readonly tone: 'good' | 'bad';
  readonly says: string;
  readonly href?: string | undefined;
  /** Toasts of one kind are shown as one, with a count. */
  readonly kind: string;
  readonly count: number;
}

const LIFE_MS = 7_000;
const KEPT = 3;
const toasts = signal<readonly Toast[]>([]);
let made = 0;

export function toast(tone: Toast['tone'], says: string, href?: string, kind: string = says): void {
  made += 1;
  const key = made;
  const before = toasts.value.find((toast) => toast.kind === kind);
  const toast: Toast = { key, tone, says, href, kind, count: (before?.count ?? 0) + 1 };
  toasts.value = [...toasts.value.filter((each) => each !== before), toast].slice(-KEPT);
  // A problem stays until the reader closes it.
  if (tone === 'good') setTimeout(() => dismiss(key), LIFE_MS);
}

export function toastProblem(error: unknown): void {
  toast('bad', messageOf(error));
}

function dismiss(key: number): void {
  toasts.value = toasts.value.filter((toast) => toast.key !== key);
}

const ENDED: Readonly<Record<string, string>> = { failed: 'failed', rejected: 'was rejected', expired: 'expired' };

export function Toasts(): VNode {
  useEffect(
    () =>
      onLiveEvent(({ fact, handoff }) => {
        const what = fact.from === fact.to ? undefined : ENDED[fact.to];
        if (what !== undefined) toast('bad', `${titleOf(handoff)} ${what}`, handoffHref(handoff.id), `ended ${what}`);
      }),
    [],
  );
  return (
    <div class="toasts" role="log" aria-live="polite" aria-label="Notifications">
      {toasts.value.map(({ key, tone, says, href, count }) => (
        <div key={key} class={`toast toast-${tone}`}>
          <span>
            {href === undefined ? says : <a href={href}>{says}</a>}
            {count > 1 ? <span class="soft"> and {count - 1} more</span> : null}
          </span>
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(key)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
