/** The description for people: one page without scripts, made from the endpoints. */
import { escapeHtml } from '../shared/report/escape-html.ts';
import type { Endpoint } from './contract.ts';
import { bodySchemaOf, queryParameters } from './openapi.ts';
import { page } from './built-in-pages.ts';

export function docsPage(endpoints: readonly Endpoint[], version: string): Response {
  const rows = endpoints.map(
    (each) =>
      `<tr><td><code>${each.method.toUpperCase()}</code></td><td><code>${escapeHtml(each.path)}</code></td>` +
      `<td>${escapeHtml(each.summary)}.${each.about === undefined ? '' : `<br>${escapeHtml(each.about)}`}${takenBy(each)}</td>` +
      `<td>${answersOf(each)}</td></tr>`,
  );
  return page(
    `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Baton over HTTP</title>
<link rel="icon" href="/baton.svg"><link rel="stylesheet" href="/own.css"></head>
<body><main><h1>Baton ${escapeHtml(version)} over HTTP</h1>
<p>Show a token as <code>Authorization: Bearer …</code>; <code>baton token new</code> makes one, and who you are comes from
it alone. Bodies are <code>application/json</code> of at most 1 MiB. What cannot be done is answered with
<code>application/problem+json</code> and the code that the command line uses too. For programs:
<a href="/openapi.json">/openapi.json</a>.</p>
<table><thead><tr><th>Method</th><th>Path</th><th>What</th><th>Answers</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table></main></body>
</html>
`,
    'text/html; charset=utf-8',
  );
}

function takenBy(each: Endpoint): string {
  const names = [
    ...queryParameters(each)
      .filter(({ deprecated }) => deprecated !== true)
      .map(({ name }) => `?${String(name)}`),
    ...Object.keys(each.headers ?? {}),
    ...fieldsOf(each),
  ];
  return names.length === 0 ? '' : `<br>${names.map((name) => `<code>${escapeHtml(name)}</code>`).join(' ')}`;
}

/** Required fields are marked with `!`. */
export function fieldsOf(each: Endpoint): readonly string[] {
  const { properties = {}, required = [] } = (bodySchemaOf(each) ?? {}) as {
    readonly properties?: Readonly<Record<string, { readonly deprecated?: boolean }>>;
    readonly required?: readonly string[];
  };
  const shown = Object.entries(properties).filter(([, { deprecated }]) => deprecated !== true);
  return shown.map(([name]) => (required.includes(name) ? `${name}!` : name));
}

function answersOf({ answers }: Endpoint): string {
  return Object.entries(answers)
    .map(([status, says]) => `<code>${status}</code> ${escapeHtml(says)}`)
    .join('<br>');
}
