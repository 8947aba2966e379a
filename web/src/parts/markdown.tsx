/**
 * Markdown that an agent wrote. It is parsed into tokens, and only elements of the list below are made from them:
 * neither HTML of the agent nor images, and links only to http and https.
 */
import MarkdownIt, { type Token } from 'markdown-it';
import { h, type ComponentChildren, type VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { visible } from '../text.ts';
import { HiddenText } from './labels.tsx';

const SHOWN_MAX = 256 * 1024;
const TOKENS_MAX = 20_000;
const parser = new MarkdownIt({ html: false, linkify: false, typographer: false });

/** The elements that may be made, beside headings and links; everything else is shown as text. */
const ALLOWED = new Set('p ul ol li blockquote pre code em strong s hr br table thead tbody tr th td'.split(' '));

export function Markdown({ source }: { readonly source: string }): VNode {
  const { text, hidden } = useMemo(() => visible(source.slice(0, SHOWN_MAX)), [source]);
  const made = useMemo(() => elementsOf(parser.parse(text, {})), [text]);
  return (
    <div class="markdown">
      <HiddenText count={hidden} />
      {made}
      {source.length > SHOWN_MAX ? <p class="empty">Cut after {SHOWN_MAX / 1024} KiB.</p> : null}
    </div>
  );
}

interface Open {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: ComponentChildren[];
}

function elementsOf(tokens: readonly Token[]): ComponentChildren {
  const root: Open = { tag: '', attributes: {}, children: [] };
  const open: Open[] = [root];
  let count = 0;
  const add = (child: ComponentChildren): void => void (open.at(-1) ?? root).children.push(child);
  const walk = (all: readonly Token[]): void => {
    for (const token of all) {
      count += 1;
      if (count > TOKENS_MAX) return;
      if (token.type === 'inline') walk(token.children ?? []);
      else if (token.nesting === 1) open.push({ tag: tagOf(token), attributes: attributesOf(token), children: [] });
      else if (token.nesting === -1) {
        const closed = open.length > 1 ? open.pop() : undefined;
        if (closed !== undefined) add(h(closed.tag, closed.attributes, closed.children));
      } else add(leafOf(token));
    }
  };
  walk(tokens);
  while (open.length > 1) {
    const left = open.pop();
    if (left !== undefined) add(h(left.tag, left.attributes, left.children));
  }
  return root.children;
}

function tagOf(token: Token): string {
  if (token.tag === 'a') return hrefOf(token) === null ? 'span' : 'a';
  if (token.type === 'heading_open') return headingOf(token.tag);
  return ALLOWED.has(token.tag) ? token.tag : 'span';
}

/** The page has one h1, its panels h2: what an agent calls its first heading stands below both. */
function headingOf(tag: string): string {
  return `h${Math.min(Number(tag.slice(1)) + 2, 6)}`;
}

function attributesOf(token: Token): Readonly<Record<string, string>> {
  const href = token.tag === 'a' ? hrefOf(token) : null;
  return href === null ? {} : { href, rel: 'noopener noreferrer nofollow', target: '_blank' };
}

/** Only http and https addresses become links. */
function hrefOf(token: Token): string | null {
  const given = String(token.attrGet('href') ?? '');
  return /^https?:\/\//i.test(given) ? given : null;
}

function leafOf(token: Token): ComponentChildren {
  switch (token.type) {
    case 'text':
    case 'html_inline':
    case 'html_block':
      return token.content;
    case 'softbreak':
      return '\n';
    case 'hardbreak':
      return h('br', {});
    case 'code_inline':
      return h('code', {}, token.content);
    case 'fence':
    case 'code_block':
      return h('pre', { tabIndex: 0 }, h('code', {}, token.content));
    case 'image':
      return h('span', { class: 'tag' }, `picture: ${token.content}`);
    case 'hr':
      return h('hr', {});
    default:
      return token.content;
  }
}
