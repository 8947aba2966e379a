/**
 * How a person at the machine comes in with a browser: a link that works once and soon becomes a session, kept here in
 * memory as a hash and in the browser as a cookie that no script can read.
 */
import { timingSafeEqual } from 'node:crypto';
import { hexDigestOf } from '../../foundation/digest.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Random } from '../../foundation/random.ts';
import { OPERATOR, provenWith, type Principal } from '../../domain/principal.ts';

const CODE_LIFE_MS = 10 * 60_000;
const SESSION_LIFE_MS = 12 * 60 * 60_000;
/** The oldest goes: whoever asks for links in a loop fills nothing. */
const CODES_MAX = 20;
const SESSIONS_MAX = 100;

interface BrowserSession {
  /** For counting and for logs; it opens nothing. */
  readonly name: string;
  readonly principal: Principal;
  /** The id of the token that asked for its link: the session ends with it. Null: nobody showed one. */
  readonly token: string | null;
  /** What a page of ours knows and one of somebody else does not. */
  readonly csrf: string;
}

export interface Logins {
  /** Part of a link that works once. */
  newCode(token: string | null): string;
  /** The secret of a new session and how long it lives; null: the code is unknown, used or too old. */
  redeem(code: string): { readonly secret: string; readonly lifeMs: number; readonly token: string | null } | null;
  sessionOf(secret: string): BrowserSession | null;
  end(secret: string): void;
}

interface KeptCode {
  readonly untilMs: number;
  readonly token: string | null;
}

interface Kept extends BrowserSession {
  readonly untilMs: number;
}

export function openLogins({ clock, random }: { readonly clock: Clock; readonly random: Random }): Logins {
  const codes = new Map<string, KeptCode>();
  const sessions = new Map<string, Kept>();
  const secret = (): string => Buffer.from(random.bytes(32)).toString('base64url');
  return {
    newCode: (token) => {
      const code = secret();
      keep(codes, hexDigestOf(code), { untilMs: clock.monotonicMs() + CODE_LIFE_MS, token }, CODES_MAX);
      return code;
    },
    redeem: (code) => {
      const known = codes.get(hexDigestOf(code));
      codes.delete(hexDigestOf(code));
      if (known === undefined || known.untilMs < clock.monotonicMs()) return null;
      const { token } = known;
      const made = secret();
      const session = {
        name: `session-${hexDigestOf(made).slice(0, 12)}`,
        principal: token === null ? OPERATOR : provenWith(OPERATOR, token),
        token,
        csrf: secret(),
        untilMs: clock.monotonicMs() + SESSION_LIFE_MS,
      };
      keep(sessions, hexDigestOf(made), session, SESSIONS_MAX);
      return { secret: made, lifeMs: SESSION_LIFE_MS, token };
    },
    sessionOf: (given) => {
      const known = sessions.get(hexDigestOf(given));
      if (known === undefined) return null;
      if (known.untilMs > clock.monotonicMs()) return known;
      sessions.delete(hexDigestOf(given));
      return null;
    },
    end: (given) => void sessions.delete(hexDigestOf(given)),
  };
}

function keep<Value>(into: Map<string, Value>, key: string, value: Value, max: number): void {
  into.set(key, value);
  const [oldest] = into.keys();
  if (into.size > max && oldest !== undefined) into.delete(oldest);
}

/** In a time that tells nothing about where they differ. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hexDigestOf(a)), Buffer.from(hexDigestOf(b)));
}
