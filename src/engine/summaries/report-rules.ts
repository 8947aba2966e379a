/**
 * Decides which blocks are reports and which are examples. A page that documents the format contains complete blocks:
 * accepting one of them is worse than asking its author to move a real report.
 */
import { isActive, type FoundBlock } from '../../formats/summary-block/found-block.ts';

/** Why a block was accepted as a report, or why not. */
export const REPORT_RULES = {
  'ends-message': 'the last block of an agent’s message',
  'agents-folder': 'in a folder that agents write to',
  'whole-file': 'the file is nothing but the block',
  'ends-file': 'in a file that ends with a block',
  quoted: 'in a quotation, in code or in the words of somebody else',
  'earlier-in-message': 'another block follows in the same message: only the last one is a report',
  placeholders: 'an example: placeholders stand where names belong',
  'documents-format': 'an example: the page documents the format with placeholders',
  'example-heading': 'an example: the heading above it says so',
  documentation: 'an example: the file is documentation by its name or folder',
  'text-goes-on':
    'not the end of its file: move the block to the end, or the file to a folder that agents write to (summaries/, reports/)',
} as const;

export type ReportRule = keyof typeof REPORT_RULES;

const ACCEPTED: ReadonlySet<ReportRule> = new Set(['ends-message', 'agents-folder', 'whole-file', 'ends-file']);

export function isAccepted(rule: ReportRule): boolean {
  return ACCEPTED.has(rule);
}

/** The rule for each block of a text, in order. */
export function reportRules(blocks: readonly FoundBlock[], source: BlockSource): readonly ReportRule[] {
  const documents = blocks.some(hasPlaceholders);
  const last = blocks.findLast(isActive);
  return blocks.map((block, index) => {
    if (!isActive(block)) return 'quoted';
    if (hasPlaceholders(block)) return 'placeholders';
    if (isUnderExample(block)) return 'example-heading';
    if (block.said !== null || 'session' in source)
      return isLastInMessage(blocks, index) ? 'ends-message' : 'earlier-in-message';
    if (documents) return 'documents-format';
    const kind = kindOfFile(source.file);
    if (kind === 'documentation') return 'documentation';
    if (kind === 'agents') return 'agents-folder';
    if (!isFenced(block)) return 'whole-file';
    return last !== undefined && isEnd(last.rest ?? '') ? 'ends-file' : 'text-goes-on';
  });
}

/** A file or a conversation. */
type BlockSource = { readonly file: string } | { readonly session: string };

function isFenced({ text }: FoundBlock): boolean {
  return /^\s*[`~]{3}/.test(text);
}

/** Adjacent blocks at the end of a message are one report in several parts. */
function isLastInMessage(blocks: readonly FoundBlock[], index: number): boolean {
  const block = blocks[index] as FoundBlock;
  const message = blocks.filter((each) => isActive(each) && each.said?.entry === block.said?.entry);
  const after = message.slice(message.indexOf(block) + 1);
  return after.every(({ prose }) => prose === block.prose);
}

/** A short sign-off may follow the block, but no new section. */
function isEnd(rest: string): boolean {
  const lines = rest.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
  return lines.length <= SIGN_OFF_LINES && !lines.some((line) => /^\s{0,3}(?:#{1,6}\s|```|~~~)/.test(line));
}

const SIGN_OFF_LINES = 5;

/** `Examples`, `Example 2: …`, `Handoff schema`; not `Example shop deployed`. */
const EXAMPLE =
  /\bexamples?$|^examples?\s*(?:[:\d(–-]|$)|^schema format$|\b(?:handoff|handover|block|summary)\s+(?:schema|format|template|specification|syntax)/i;
/** `For example:` right before the fence. */
const INTRODUCED = /\b(?:example|e\.g\.|template|sample)\b[^:]{0,40}:$/i;
const LINE_SEEN = 300;

function isUnderExample({ under, prose }: FoundBlock): boolean {
  if (under.some((title) => EXAMPLE.test(title))) return true;
  const lastLine = prose.slice(prose.lastIndexOf('\n') + 1);
  return INTRODUCED.test(lastLine.slice(-LINE_SEEN).replaceAll(/[*_`]/g, ''));
}

const FIELD = /^[ \t]*["']?(?:phase|from|to|status|timestamp|from_agent|to_agent)["']?[ \t]*:[ \t]*(.*)$/gim;
const FORM =
  /^(?:<\w[\w /|-]{0,60}>|\{\{?[^{}]{1,80}\}\}?|\[[^\][]{1,80}\]|\$\{?[A-Z_]{1,60}\}?|\.{3}|…|string|x{3,}|number|object|iso-?8601.*|@?(?:agent|from|to|next|source|target)[-_ ]?(?:agent|name)(?:[-_ ]name)?|@?your[-_ ].*)$/i;
/** `complete | failed`: a choice. */
const CHOICE = /^[@\w-]+(?:\s*\|\s*[@\w-]+)+$/;

/** Whether a field contains a placeholder instead of a value. */
function hasPlaceholders({ yaml }: FoundBlock): boolean {
  for (const [, said = ''] of yaml.matchAll(FIELD)) {
    const value = said
      .replace(/\s#.*$/, '')
      .trim()
      .replaceAll(/^["']|["'],?$/g, '')
      .trim();
    if (value !== '' && (FORM.test(value) || CHOICE.test(value))) return true;
  }
  return false;
}

const AGENTS_FOLDER =
  /^(?:summar(?:y|ies)|reports?|handoffs?|_handoffs|transcripts?|sessions?|chats?|logs?|runs?|results?|outputs?)$/i;
const DOCUMENTATION_FOLDER =
  /^(?:docs?|documentation|specs?|specifications?|examples?|samples?|templates?|schemas?|__?fixtures?_{0,2}|node_modules|vendor)$/i;
const DOCUMENTATION_NAME =
  /^(?:readme|contributing|changelog|claude|agents?|gemini|skill|protocols?|glossary)$|(?:^|[-_. ])(?:template|example|sample|specification)s?$/i;

/** The nearest known folder decides. For a file outside the workspace only its own folder counts. */
function kindOfFile(file: string): 'agents' | 'documentation' | 'any' {
  const parts = file.split(/[/\\]/);
  const stem = (parts.pop() ?? '').replace(/\.[a-z0-9]{1,8}$/i, '');
  if (DOCUMENTATION_NAME.test(stem)) return 'documentation';
  const isOutside = /^(?:[/\\]|[a-z]:)/i.test(file);
  for (const folder of (isOutside ? parts.slice(-1) : parts).toReversed()) {
    if (AGENTS_FOLDER.test(folder)) return 'agents';
    if (DOCUMENTATION_FOLDER.test(folder)) return 'documentation';
  }
  return 'any';
}
