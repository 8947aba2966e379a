/**
 * YAML as a stream of tokens, which is safe at any depth. The parser recurses, and some depths end the whole process, so
 * foreign YAML is checked here first.
 */
import { Lexer } from 'yaml';

export const DEPTH_MAX = 32;
/** Each column can be a level, two with lists: far below what the parser can recurse. */
const INDENT_MAX = 64;

export interface Token {
  readonly token: string;
  readonly at: number;
  /** The token is part of a text and has no meaning for YAML. */
  readonly isText: boolean;
  readonly isTooDeep: boolean;
}

export function* tokensIn(yaml: string): Generator<Token, void, undefined> {
  let at = 0;
  let flow = 0;
  let inLine = 0;
  let isText = false;
  let isLineStart = true;
  for (const token of new Lexer().lex(yaml)) {
    // Marks of the lexer that are not in the text: the next token is a text, or a document begins.
    if (token === '\u001f' || token === '\u0002') {
      isText = token === '\u001f';
      continue;
    }
    if (!isText) {
      if (token === '[' || token === '{') flow += 1;
      else if (token === ']' || token === '}') flow -= 1;
      else if (token === '-' || token === '?') inLine += 1;
    }
    const isIndented = isLineStart && flow === 0 && token.startsWith(' ') && token.length > INDENT_MAX;
    yield { token, at, isText, isTooDeep: !isText && (flow > DEPTH_MAX || inLine > DEPTH_MAX || isIndented) };
    isLineStart = token.endsWith('\n');
    if (isLineStart) inLine = 0;
    isText = false;
    at += token.length;
  }
}

/** The offset of the first token that is nested too deeply; null: the text can be parsed. */
export function tooDeepAt(yaml: string): number | null {
  for (const { at, isTooDeep } of tokensIn(yaml)) if (isTooDeep) return at;
  return null;
}
