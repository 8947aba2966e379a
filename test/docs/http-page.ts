/** `docs/reference/http.md` as the entries of the server and the table of problems say it. */
import { DESCRIBED } from '../../src/interfaces/http/app.ts';
import type { Endpoint } from '../../src/interfaces/http/contract.ts';
import { fieldsOf } from '../../src/interfaces/http/docs-page.ts';
import { bodySchemaOf, queryParameters } from '../../src/interfaces/http/openapi.ts';
import { PROBLEMS, type ProblemCode } from '../../src/interfaces/shared/problems.ts';
import { MEANINGS } from './problem-meanings.ts';

export function httpPage(): string {
  return `# HTTP

This page is made from the entries in \`src/interfaces/http/routes/\`; a test keeps it fresh. A running server says the same at
\`/docs\`, and for programs at \`/openapi.json\` (OpenAPI 3.1, with the shape of every request and answer).
How to run one is in [serve](../operations/serve.md).

## Who you are

Every request shows a token, \`Authorization: Bearer …\`, made by \`baton token new\` ([tokens](../guides/tokens.md)). Who
sends, accepts or verifies is the one the token belongs to; nothing in a body changes that. A token in an address is
refused. Reading needs the scope \`read\`, everything else \`write\`. Browsers come in by a login link and have a cookie;
a write by cookie also shows \`X-Baton-Csrf\`, which \`GET /api/session\` tells.

Bodies are \`application/json\`, at most 1 MiB, not compressed; an empty one stands for \`{}\`. Names of agents are written
with or without \`@\`. Fields and parameters that are not known are refused. Durations are in seconds, instants are ISO 8601.

## With curl

\`\`\`sh
AT=http://127.0.0.1:22866
ME=$(baton token new --for @me --as operator)
REACT=$(baton token new --for @react --as operator)
curl -N $AT/api/events -H "Authorization: Bearer $ME" &

curl --json '{"to":"@react","input":{"x":1}}' $AT/api/handoffs -H "Authorization: Bearer $ME" -H 'Idempotency-Key: order-1'
curl --json '{"waitSeconds":5}' $AT/api/claims -H "Authorization: Bearer $REACT"
curl --json '{"fence":1,"result":{"y":2}}' $AT/api/handoffs/ID/deliver -H "Authorization: Bearer $REACT"
\`\`\`

\`ID\` and \`fence\` are in the answer to the claim. \`--json\` needs curl 7.82; before that, \`-d\` and
\`-H 'Content-Type: application/json'\`.

## Going on where you were

- Lists: \`next\` of an answer is the \`after\` of the next request; null is the end. What you may not read is
  left out before pages are cut: no page, cursor or count tells of it.
- One handoff: its revision is its \`ETag\`. \`If-None-Match\` saves sending it again (304); \`If-Match\` on a move means
  this revision and no later one (412 \`revision-passed\`).
- Sending: the same \`Idempotency-Key\` with the same body answers the same handoff, for 7 days; with another body it is
  refused (422 \`request-reused\`). Moves need none: a second one meets a state that does not have it.
- Events: the \`id\` of each is where to go on. After a break send it as \`Last-Event-ID\` (browsers do), and exactly what
  came after it follows. A list's \`cursor\` as \`after\` begins where the list was made. An event has the name \`fact\` and
  \`{ fact, handoff }\` as data: what happened, and the record as it is now. \`reset\` says that the server does not know
  your cursor: load everything again. A comment every 15 seconds shows that the line is alive; a listener that takes
  nothing for 5 seconds while something waits for it is let go. 64 may listen with one token, 256 in all.

## What can be asked

${DESCRIBED.map(section).join('\n\n')}

## Problems

\`application/problem+json\` (RFC 9457): \`type\` (\`urn:baton:problem:CODE\`), \`title\`, \`status\`, \`detail\` (the words of the
command line), \`code\`, \`retryable\`, and what belongs to the code, such as \`id\`, \`state\` and \`move\`.

${table(
  ['code', 'status', 'again', 'what it means'],
  (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => [
    `\`${code}\``,
    String(PROBLEMS[code].httpStatus),
    PROBLEMS[code].retryable ? 'yes' : '',
    MEANINGS[code].replace(/^HTTP: /, ''),
  ]),
)}
`;
}

function section(each: Endpoint): string {
  const { method, path, summary, about, headers = {}, answers, scope } = each;
  const taken = [
    ...queryParameters(each)
      .filter(({ deprecated }) => deprecated !== true)
      .map(({ name, description }) => [`\`?${String(name)}=\``, textOf(description)]),
    ...Object.entries(headers).map(([name, says]) => [`\`${name}\``, says]),
    ...fieldsOf(each).map((name) => [`\`${name.replace('!', '')}\``, fieldText(each, name)]),
  ];
  return [
    `### ${method.toUpperCase()} ${path}`,
    `${summary}.${about === undefined ? '' : ` ${about}`}${scope === null ? ' Needs no token.' : ''}`,
    ...(taken.length === 0 ? [] : [table(['takes', ''], taken)]),
    Object.entries(answers)
      .map(([status, says]) => `- **${status}** ${says}`)
      .join('\n'),
  ].join('\n\n');
}

function fieldText(each: Endpoint, name: string): string {
  const plain = name.replace('!', '');
  const { properties = {} } = (bodySchemaOf(each) ?? {}) as {
    readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  };
  return [name.endsWith('!') ? 'Has to be there.' : '', properties[plain]?.description ?? ''].join(' ').trim();
}

function textOf(description: unknown): string {
  return typeof description === 'string' ? description : '';
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replaceAll(/ +\|/g, ' |');
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
