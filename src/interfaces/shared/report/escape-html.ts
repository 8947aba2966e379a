import { withoutHidden } from '../../../foundation/display-text.ts';

/** Escapes text for XML and HTML, and removes characters that XML cannot hold. */
export function escapeHtml(text: string): string {
  return withoutHidden(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
