/** Instants as people write them. A date without a time is its first moment; a time without a zone is UTC. */

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const ISO =
  /(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ,_]+(?:at )?(\d{1,2})[:.h-](\d{2})(?:[:.-](\d{2})(?:[.,]\d{1,9})?)?(?![0-9a-fA-F]))?/;
const COMPACT = /(?<!\d)(20\d{2})(\d{2})(\d{2})(?:[T_-]?(\d{2})(\d{2})(\d{2})?(?![0-9a-fA-F]))?(?!\d)/;
const DAY_MONTH = /(\d{1,2})(?:st|nd|rd|th)?[ -.]+([a-z]{3})[a-z]*\.?,? +(\d{4})/i;
const MONTH_DAY = /([a-z]{3})[a-z]*\.? +(\d{1,2})(?:st|nd|rd|th)?,? +(\d{4})/i;
const DOTTED = /(?<!\d)(\d{1,2})\.(\d{1,2})\.(\d{4})/;
const SLASHED = /(?<!\d)(\d{1,2})\/(\d{1,2})\/(\d{4})/;
const CLOCK = /(?<!\d)(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s*(am|pm)?/i;
const OFFSET = /(?:\b(?:UTC|GMT)\s*)?([+\u2212-])(\d{1,2})(?::?(\d{2}))?(?![\d.])/i;
/** Hours from UTC. A name with two meanings (IST, CST of China) is read as the first one. */
const ZONES = new Map(
  (
    'utc 0 gmt 0 z 0 wet 0 west 1 bst 1 cet 1 cest 2 mez 1 mesz 2 eet 2 eest 3 msk 3 ist 5.5 ict 7 wib 7 sgt 8 hkt 8 awst 8 ' +
    'jst 9 kst 9 aest 10 aedt 11 nzst 12 nzdt 13 brt -3 art -3 est -5 edt -4 cst -6 cdt -5 mst -7 mdt -6 pst -8 pdt -7 hst -10'
  )
    .match(/[a-z]+ \S+/g)
    ?.map((pair) => [pair.split(' ')[0] ?? '', Number(pair.split(' ')[1])] as const),
);
const ZONE_HOURS_MAX = 14;
const EPOCH = /^\d{10}(?:\d{3})?$/;

export function instantOf(text: string): number | null {
  const said = text.trim().slice(0, 120);
  if (EPOCH.test(said)) return said.length === 10 ? Number(said) * 1000 : Number(said);
  const day = dayOf(said);
  if (day === null) return null;
  const [hours, minutes, seconds] = day.clock ?? [0, 0, 0];
  const atMs = Date.UTC(day.year, day.month - 1, day.day, hours, minutes, seconds);
  const made = new Date(atMs);
  if (made.getUTCMonth() !== day.month - 1 || hours > 24 || minutes > 59 || seconds > 60) return null;
  return day.clock === null ? atMs : atMs - offsetMinutes(said.slice(day.end)) * 60_000;
}

/** Reads `+02:00`, `UTC+7`, `CET` or `(PST)` behind the time; anything else is UTC. */
function offsetMinutes(behind: string): number {
  const offset = OFFSET.exec(behind);
  if (offset !== null && /^[\s\d:.,()A-Za-z]{0,20}$/.test(behind.slice(0, offset.index))) {
    const hours = Number(offset[2]);
    if (hours <= ZONE_HOURS_MAX) return (offset[1] === '+' ? 1 : -1) * (hours * 60 + Number(offset[3] ?? 0));
  }
  const names = behind.match(/[A-Za-z]+/g) ?? [];
  const known = names.map((name) => ZONES.get(name.toLowerCase())).find((hours) => hours !== undefined);
  return (known ?? 0) * 60;
}

type Clock = readonly [hours: number, minutes: number, seconds: number];

/** The groups of year, month and day in each pattern; the first pattern that is found counts. */
const DATES: readonly (readonly [pattern: RegExp, year: number, month: number, day: number])[] = [
  [ISO, 1, 2, 3],
  [MONTH_DAY, 3, 1, 2],
  [DAY_MONTH, 3, 2, 1],
  [DOTTED, 3, 2, 1],
  [SLASHED, 3, 1, 2],
  [COMPACT, 1, 2, 3],
];

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly clock: Clock | null;
  readonly end: number;
}

function dayOf(text: string): Day | null {
  for (const [pattern, yearAt, monthAt, dayAt] of DATES) {
    const found = pattern.exec(text);
    const named = found?.[monthAt] ?? '';
    const month = MONTHS.indexOf(named.toLowerCase()) + 1 || Number(named);
    // A word that is no month.
    if (found === null || Number.isNaN(month)) continue;
    const end = found.index + found[0].length;
    const isClocked = (pattern === ISO || pattern === COMPACT) && found[4] !== undefined;
    const later = pattern === COMPACT ? null : clockAfter(text, end);
    const clock = isClocked ? clockOf(found[4], found[5], found[6]) : later;
    const day = Number(found[dayAt]);
    // Most people who write slashes put the month first, unless it cannot be one.
    const [m, d] = pattern === SLASHED && month > 12 ? [day, month] : [month, day];
    return m >= 1 && m <= 12 && d >= 1 && d <= 31
      ? { year: Number(found[yearAt]), month: m, day: d, clock, end }
      : null;
  }
  return null;
}

function clockAfter(text: string, from: number): Clock | null {
  const found = CLOCK.exec(text.slice(from));
  if (found === null) return null;
  const [hours, minutes, seconds] = clockOf(found[1], found[2], found[3]);
  const half = found[4]?.toLowerCase();
  return [half === 'pm' && hours < 12 ? hours + 12 : half === 'am' && hours === 12 ? 0 : hours, minutes, seconds];
}

function clockOf(hours = '0', minutes = '0', seconds = '0'): Clock {
  return [Number(hours), Number(minutes), Number(seconds)];
}
