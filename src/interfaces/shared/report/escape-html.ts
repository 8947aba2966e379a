import { withoutHidden } from '../../../foundation/display-text.ts';

/** Text of others inside of XML and HTML: what these cannot hold is left out, what they would obey is written as a name. */
export function escapeHtml(text: string): string {
  return withoutHidden(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
