/** Readers for what the report writes, made for these tests and from the formats' own rules. */

/** RFC 4180: rows of cells. */
export function readCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
    cell.lastIndex = at;
    const found = cell.exec(text);
    if (found === null) throw new Error(`no cell at ${at}: ${JSON.stringify(text.slice(at, at + 40))}`);
    row.push(found[1] === undefined ? (found[2] ?? '') : found[1].replaceAll('""', '"'));
    if (found[3] !== ',') {
      rows.push(row);
      row = [];
    }
    at = cell.lastIndex;
  }
  return rows;
}

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly inside: readonly Element[];
  text: string;
}

const TOKEN = /<\?xml[^?]*\?>|<(\/?)([a-zA-Z][\w.-]*)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y;

/** Well-formed XML without comments or sections; anything else throws. */
export function readXml(text: string): Element {
  const top: Element & { readonly inside: Element[] } = { name: '', attributes: {}, inside: [], text: '' };
  const open: (Element & { readonly inside: Element[] })[] = [top];
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    if (token === null) throw new Error(`not XML at ${at}: ${JSON.stringify(text.slice(at, at + 60))}`);
    at = TOKEN.lastIndex;
    const [, slash, name, attributes = '', isEmpty, words] = token;
    const here = open.at(-1) as (typeof open)[number];
    if (words !== undefined) here.text += plain(words);
    else if (name !== undefined && slash === '/') {
      if (here.name !== name) throw new Error(`</${name}> closes <${here.name}>`);
      open.pop();
    } else if (name !== undefined) {
      const pairs = [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [
        key,
        plain(value),
      ]);
      const element = { name, attributes: Object.fromEntries(pairs) as Record<string, string>, inside: [], text: '' };
      here.inside.push(element);
      if (isEmpty !== '/') open.push(element);
    }
  }
  if (open.length !== 1 || top.inside.length !== 1) throw new Error('not one element');
  return top.inside[0] as Element;
}

function plain(text: string): string {
  // eslint-disable-next-line no-control-regex -- what XML may not hold
  if (/&(?!(?:amp|lt|gt|quot|#39|#10);)|[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text)) {
    throw new Error(`not XML: ${JSON.stringify(text.slice(0, 60))}`);
  }
  const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#10': '\n' };
  return text.replaceAll(/&(amp|lt|gt|quot|#39|#10);/g, (_, name: string) => names[name] ?? '');
}

/** The rows of the table below a heading, without its head. */
export function markdownTable(text: string, heading: string): readonly (readonly string[])[] {
  const lines = text.slice(text.indexOf(heading) + heading.length).split('\n');
  const from = lines.findIndex((line) => line.startsWith('| '));
  const rows = lines.slice(from);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(2, end < 0 ? undefined : end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The rows of the table below a heading. */
export function htmlTable(html: string, heading: string): readonly (readonly string[])[] {
  const from = html.indexOf(`<h3>${heading}</h3>`);
  const body = /<tbody>([\s\S]*?)<\/tbody>/.exec(html.slice(from))?.[1] ?? '';
  return [...body.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<td>([\s\S]*?)<\/td>/g)].map(([, cell = '']) => cell),
  );
}
