/** Exports that somebody has changed, with every hash and checksum made to fit again. */
import { hexDigestOf } from '../../src/foundation/digest.ts';
import { hashOf, type Fact } from '../../src/domain/facts.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { footerLine, totalOf } from '../../src/engine/transfer/write-line.ts';

export interface Line {
  handoff: Record<string, unknown>;
  facts: Fact[];
  sha256?: string;
}

/** The only line of an export, changed, with every hash and checksum made to fit again. */
export function forged(text: string, change: (line: Line) => void): string {
  const [header = '', only = ''] = text.trimEnd().split('\n');
  const line = JSON.parse(only) as Line;
  delete line.sha256;
  change(line);
  let previous = '';
  for (const fact of line.facts) {
    previous = hashOf({ ...fact, handoff: line.handoff['id'] as HandoffId }, previous);
    (fact as { hash: string }).hash = previous;
  }
  line.handoff['trail'] = previous;
  const body = JSON.stringify(line);
  const sha256 = hexDigestOf(body);
  const total = totalOf();
  total.add(sha256);
  return `${header}\n${body.slice(0, -1)},"sha256":"${sha256}"}\n${footerLine({ count: 1, schedules: 0, sha256: total.hex() })}\n`;
}
