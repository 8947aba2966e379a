/** JSON of a handoff, unchanged. Long data is cut, and a note says so. */
import type { VNode } from 'preact';
import { visible } from '../text.ts';
import { HiddenText } from './labels.tsx';
import { lazy } from './lazy.tsx';

const Markdown = lazy(async () => (await import('./markdown.tsx')).Markdown);

const SHOWN_MAX = 256 * 1024;

export function Data({ value, label }: { readonly value: unknown; readonly label: string }): VNode {
  if (typeof value === 'string') return <Markdown source={value} />;
  const whole = JSON.stringify(value, null, 2) ?? 'null';
  const { text, hidden } = visible(whole.slice(0, SHOWN_MAX));
  return (
    <>
      <HiddenText count={hidden} />
      <pre tabIndex={0} aria-label={label}>
        <code>{text}</code>
      </pre>
      {whole.length > SHOWN_MAX ? <p class="empty">Cut after {SHOWN_MAX / 1024} KiB.</p> : null}
    </>
  );
}
