/** Text of others inside of XML and HTML: what these cannot hold is left out, what they would obey is written as a name. */
export function written(text: string): string {
  return text
    .replaceAll(/(?![\t\n])[\p{Cc}\p{Surrogate}\uFFFE\uFFFF]/gu, '')
    .replaceAll(/[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
