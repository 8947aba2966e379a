/**
 * Whether an error message of a vendor's program reports a usage limit, and when the limit ends. Only errors are examined:
 * an agent may also write about limits.
 */
const LIMIT_WORDS =
  /usage limit|rate limit|rate_limit|hit your .{0,40}limit|quota|too many requests|\b429\b|resource.?exhausted/i;

export function reportsLimit(text: string): boolean {
  return LIMIT_WORDS.test(text);
}

/** The time that the text names, if it does: `try again at 3:45 PM`, `try again in 2 hours 5 minutes`. */
export function resetIn(text: string, nowMs: number): number | null {
  return spanIn(text, nowMs) ?? timeOfDayIn(text, nowMs);
}

const SPAN_UNITS: readonly (readonly [RegExp, number])[] = [
  [/(\d+)\s*d(?:ays?)?\b/i, 86_400_000],
  [/(\d+)\s*h(?:ours?|rs?)?\b/i, 3_600_000],
  [/(\d+)\s*m(?:in(?:ute)?s?)?\b/i, 60_000],
  [/(\d+)\s*s(?:ec(?:ond)?s?)?\b/i, 1_000],
];

function spanIn(text: string, nowMs: number): number | null {
  const [, span] = /(?:try again|retry|reset\w*|wait)[^.]{0,20}?\b(?:in|after)\s+([^.;]{1,60})/i.exec(text) ?? [];
  if (span === undefined) return null;
  const ms = SPAN_UNITS.reduce((sum, [pattern, unit]) => sum + Number(pattern.exec(span)?.[1] ?? 0) * unit, 0);
  return ms === 0 ? null : nowMs + ms;
}

const DAY_MS = 86_400_000;

/** In the time zone of this machine, where the program ran that wrote it. */
function timeOfDayIn(text: string, nowMs: number): number | null {
  const found = /(?:try again|resets?|available)\s+(?:again\s+)?at\s+(.{0,30}?)(\d{1,2}):(\d{2})\s*([AP]M)?/i.exec(
    text,
  );
  if (found === null) return null;
  const [, day = '', hourText = '', minuteText = '', half = ''] = found;
  const hour = (Number(hourText) % (half === '' ? 24 : 12)) + (half.toUpperCase() === 'PM' ? 12 : 0);
  const date = Date.parse(day.replaceAll(/(\d)(?:st|nd|rd|th)\b/g, '$1').replaceAll(/[,\s]+$/g, ''));
  const at = new Date(Number.isNaN(date) ? nowMs : date);
  at.setHours(hour, Number(minuteText), 0, 0);
  const ms = at.getTime();
  return ms > nowMs ? ms : Number.isNaN(date) ? ms + DAY_MS : null;
}
