/** The filter of the work page: `state:blocked agent:@qa age:>1h login page`. */
import { STATES } from './states.ts';

export interface Filter {
  readonly parameters: Readonly<Record<string, string>>;
  /** One text for each word that is wrong. */
  readonly problems: readonly string[];
}

const KEYS = ['state', 'agent', 'from', 'to', 'kind', 'priority', 'task', 'sort'] as const;
export const FILTER_HELP =
  'state:blocked  state:open  agent:@qa  from:@lead  to:@dev  priority:urgent  kind:document  task:T-1  age:>1h  age:<2d  sort:oldest, and any words, an id or @name';

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const AGE = /^([<>])(\d{1,5})([smhd])$/;
/** Ages are rounded to minutes, so that the same filter stays the same request. */
const MINUTE_MS = 60_000;

export function readFilter(text: string, nowMs: number): Filter {
  const parameters: Record<string, string> = {};
  const problems: string[] = [];
  const words: string[] = [];
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const [, key = '', value = ''] = /^([a-z]+):(.*)$/.exec(word) ?? [];
    if (key === 'age') {
      const age = AGE.exec(value);
      if (age === null) problems.push(`${word}: like age:>1h or age:<2d`);
      else {
        const at = Math.floor((nowMs - Number(age[2]) * (UNITS_MS[age[3] ?? ''] ?? 0)) / MINUTE_MS) * MINUTE_MS;
        parameters[age[1] === '>' ? 'createdBefore' : 'createdSince'] = new Date(at).toISOString();
      }
    } else if (KEYS.some((each) => each === key) && value !== '') {
      parameters[key] = key === 'state' ? statesIn(value) : value;
    } else words.push(word);
  }
  if (words.length > 0) parameters['text'] = words.join(' ');
  return { parameters, problems };
}

/** Takes the names for people too: `state:waiting`. */
function statesIn(value: string): string {
  const states = Object.entries(STATES);
  return value
    .split(',')
    .map((word) => states.find(([, { name }]) => name.replaceAll(' ', '-') === word)?.[0] ?? word)
    .join(',');
}

/** The filter with another value for the key; an empty value removes it. */
export function withWord(text: string, key: string, value: string): string {
  const others = text.split(/\s+/).filter((word) => word !== '' && !word.startsWith(`${key}:`));
  return [...(value === '' ? [] : [`${key}:${value}`]), ...others].join(' ');
}

export function wordIn(text: string, key: string): string {
  return (
    text
      .split(/\s+/)
      .find((word) => word.startsWith(`${key}:`))
      ?.slice(key.length + 1) ?? ''
  );
}
