import type { VNode } from 'preact';

export function Flag({ hidden }: { readonly hidden: number }): VNode | null {
  if (hidden === 0) return null;
  return (
    <p class="hidden-text">
      <span class="tag bad">hidden_text</span> {hidden} invisible {hidden === 1 ? 'character was' : 'characters were'}{' '}
      taken out of this text.
    </p>
  );
}
