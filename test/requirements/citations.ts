/**
 * Finds which requirements the titles of tests cite.
 *
 * An id counts where it leads a title (`Q4, I8: one worker gets it`) or stands in brackets (`one worker gets it (Q4)`).
 * Elsewhere the same letters may mean something else: the first version of the documents is called V1 as well.
 * Tests that never run (skip, todo) cite nothing.
 */
import ts from 'typescript';

export interface Citation {
  readonly id: string;
  readonly file: string;
  readonly line: number;
}

const RUNNERS = ['it', 'test', 'describe'];
const IDS = '[QDSVXIF][1-9][0-9]?(?:(?:,|/| and|, and)? ?[QDSVXIF][1-9][0-9]?)*';
const LEADING = new RegExp(`^\\s*(${IDS})(?![\\w-])`);
const BRACKETED = new RegExp(`[([](${IDS})[)\\]]`, 'g');

export function citationsIn(file: string, text: string): readonly Citation[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const found: Citation[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isRunner(node.expression)) {
      const title = node.arguments[0];
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      for (const id of title === undefined ? [] : idsIn(textOf(title))) found.push({ id, file, line });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

export function idsIn(title: string): readonly string[] {
  const groups = [LEADING.exec(title)?.[1] ?? '', ...[...title.matchAll(BRACKETED)].map((match) => match[1] ?? '')];
  return [...new Set(groups.flatMap((group) => group.match(/[A-Z]\d+/g) ?? []))];
}

/** True for `it`, `it.each(…)`, `test.skipIf(…)`, `describe.sequential`, and false for whatever is switched off. */
function isRunner(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return RUNNERS.includes(callee.text);
  if (ts.isPropertyAccessExpression(callee)) {
    return !['skip', 'todo'].includes(callee.name.text) && isRunner(callee.expression);
  }
  if (ts.isCallExpression(callee)) return isRunner(callee.expression);
  return ts.isTaggedTemplateExpression(callee) && isRunner(callee.tag);
}

/** What is put in at run time becomes a gap; the words around it stay. */
function textOf(title: ts.Expression): string {
  if (ts.isStringLiteralLike(title)) return title.text;
  if (ts.isTemplateExpression(title)) {
    return [title.head.text, ...title.templateSpans.map((span) => span.literal.text)].join('…');
  }
  return ts.isBinaryExpression(title) ? textOf(title.left) + textOf(title.right) : '…';
}
