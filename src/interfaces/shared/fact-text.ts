/** The detail of a fact as text. */
export interface FactText {
  readonly name: string;
  readonly words: readonly string[];
}

const PLAIN = /^[\w-]+$/;

/** `said` marks texts of agents, so that readers do not take them for Baton's. */
export function factText(detail: unknown, said: (text: string) => string = (text) => text): readonly FactText[] {
  if (detail === null || typeof detail !== 'object') return [];
  return Object.entries(detail).map(([name, value]) => ({
    name: PLAIN.test(name) ? name : said(name),
    words: wordsOf(value, said),
  }));
}

function wordsOf(value: unknown, said: (text: string) => string): readonly string[] {
  if (typeof value === 'string') return [said(value)];
  const judged = Array.isArray(value) ? value.map(judgedIn) : [];
  if (judged.length === 0 || judged.includes(null)) return [JSON.stringify(value) ?? ''];
  return judged.flatMap((each) => {
    if (each === null) return [];
    const { what, verdict, says } = each;
    return [`${said(what)}${verdict === '' ? '' : ` (${verdict})`}${says === '' ? '' : `: ${said(says)}`}`];
  });
}

interface Judged {
  readonly what: string;
  readonly verdict: string;
  readonly says: string;
}

const VERDICTS: ReadonlyMap<unknown, string> = new Map([
  ['true', 'checked'],
  ['false', 'does not hold'],
  ['held', 'claimed'],
]);

/** A judged criterion or a checked deliverable. */
function judgedIn(value: unknown): Judged | null {
  if (value === null || typeof value !== 'object') return null;
  const { criterion, deliverable, verdict, says } = value as Readonly<Record<string, unknown>>;
  const what = criterion ?? deliverable;
  if (typeof what !== 'string' || typeof says !== 'string') return null;
  return { what, verdict: VERDICTS.get(verdict) ?? '', says };
}
