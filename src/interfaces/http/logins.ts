/**
 * Logins of browsers: a link that works once becomes a session. The server stores a hash of the session, the browser a
 * cookie that no script can read. Sessions outlive their server in a file.
 */
import { timingSafeEqual } from 'node:crypto';
import { hexDigestOf } from '../../foundation/digest.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Random } from '../../foundation/random.ts';
import { setNewest } from './bounded-map.ts';

const CODE_LIFE_MS = 10 * 60_000;
const SESSION_LIFE_MS = 12 * 60 * 60_000;
/** The oldest code is dropped, so that asking for links in a loop does not use up memory. */
const CODES_MAX = 20;
const SESSIONS_MAX = 100;

interface BrowserSession {
  /** For counting and for logs. The name does not open the session. */
  readonly name: string;
  /** The id of the token that asked for the link: the session ends with it. Null: there was no token. */
  readonly token: string | null;
  /** Known to our pages and not to those of other origins. */
  readonly csrf: string;
}

export type Logins = ReturnType<typeof openLogins>;

/** Keeps the sessions while no server runs. */
export interface SessionFile {
  read(): string | null;
  write(text: string): void;
}

/** The server made the link itself. */
const SERVER_OPENER = { of: 'server' } as const;
type Opener = { readonly of: 'server' } | { readonly of: 'token'; readonly token: string | null };

interface Stored {
  readonly opener: Opener;
  readonly untilMs: number;
}

export function openLogins(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  file: SessionFile | null = null,
) {
  const codes = new Map<string, Stored>();
  const sessions = storedIn(file, clock.nowMs());
  let ownToken: string | null = null;
  const secret = (): string => Buffer.from(random.bytes(32)).toString('base64url');
  const save = (): void => file?.write(`${JSON.stringify([...sessions])}\n`);
  const openerFor = (token: string | null): Opener =>
    token !== null && token === ownToken ? SERVER_OPENER : { of: 'token', token };
  const tokenOf = (opener: Opener): string | null => (opener.of === 'server' ? ownToken : opener.token);
  const nameOf = (hash: string): string => `session-${hash.slice(0, 12)}`;
  const drop = (hash: string): boolean => {
    const wasThere = sessions.delete(hash);
    if (wasThere) save();
    return wasThere;
  };
  return {
    /** Names the server's own token. Sessions opened with the token of an earlier server continue with this one. */
    serveAs: (token: string) => {
      ownToken = token;
    },
    /** A code for a login link, which works once. */
    newCode: (token: string | null) => {
      const code = secret();
      const kept = { untilMs: clock.monotonicMs() + CODE_LIFE_MS, opener: openerFor(token) };
      setNewest(codes, hexDigestOf(code), kept, CODES_MAX);
      return code;
    },
    /** A new session; null: the code is unknown, used or too old. */
    redeem: (code: string) => {
      const known = codes.get(hexDigestOf(code));
      codes.delete(hexDigestOf(code));
      if (known === undefined || known.untilMs < clock.monotonicMs()) return null;
      const made = secret();
      const { opener } = known;
      setNewest(sessions, hexDigestOf(made), { opener, untilMs: clock.nowMs() + SESSION_LIFE_MS }, SESSIONS_MAX);
      save();
      return { secret: made, lifeMs: SESSION_LIFE_MS, token: tokenOf(opener) };
    },
    sessionOf: (given: string): BrowserSession | null => {
      const hash = hexDigestOf(given);
      const known = sessions.get(hash);
      if (known === undefined) return null;
      if (known.untilMs <= clock.nowMs()) {
        drop(hash);
        return null;
      }
      return { name: nameOf(hash), token: tokenOf(known.opener), csrf: hexDigestOf(`csrf ${given}`) };
    },
    end: (given: string) => void drop(hexDigestOf(given)),
    list: () =>
      [...sessions].map(([hash, { opener, untilMs }]) => ({ name: nameOf(hash), token: tokenOf(opener), untilMs })),
    /** Returns false if no session has this name. */
    endNamed: (name: string) => {
      const hash = [...sessions.keys()].find((each) => nameOf(each) === name);
      return hash !== undefined && drop(hash);
    },
  };
}

/** An unreadable file holds no sessions: people sign in again. */
function storedIn(file: SessionFile | null, nowMs: number): Map<string, Stored> {
  const text = file?.read() ?? null;
  if (text === null) return new Map();
  try {
    const entries = JSON.parse(text) as readonly (readonly [string, Stored])[];
    return new Map(entries.filter(([, { untilMs }]) => untilMs > nowMs && untilMs <= nowMs + SESSION_LIFE_MS));
  } catch {
    return new Map();
  }
}

/** Compares in constant time. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hexDigestOf(a)), Buffer.from(hexDigestOf(b)));
}
