/** Data that somebody sent, as it is. Long data is cut, and said so. */
import type { VNode } from 'preact';
import { visible } from '../text.ts';
import { Markdown } from './markdown.tsx';

const SHOWN_MAX = 256 * 1024;

export function Data({ value, label }: { readonly value: unknown; readonly label: string }): VNode {
  if (typeof value === 'string') return <Markdown source={value} />;
  const whole = JSON.stringify(value, null, 2) ?? 'null';
  const { text, hidden } = visible(whole.slice(0, SHOWN_MAX));
  return (
    <>
      <Flag hidden={hidden} />
      <pre tabIndex={0} aria-label={label}>
        <code>{text}</code>
      </pre>
      {whole.length > SHOWN_MAX ? <p class="empty">Cut after {SHOWN_MAX / 1024} KiB.</p> : null}
    </>
  );
}

export function Flag({ hidden }: { readonly hidden: number }): VNode | null {
  if (hidden === 0) return null;
  return (
    <p class="hidden-text">
      <span class="tag bad">hidden_text</span> {hidden} invisible {hidden === 1 ? 'character was' : 'characters were'}{' '}
      taken out of this text.
    </p>
  );
}
