/**
 * How a person at the machine comes in with a browser: a link that works once and soon becomes a session, kept here as a
 * hash and in the browser as a cookie that no script can read. Sessions outlive their server: whoever serves the
 * workspace next finds them in a file.
 */
import { timingSafeEqual } from 'node:crypto';
import { hexDigestOf } from '../../foundation/digest.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Random } from '../../foundation/random.ts';

const CODE_LIFE_MS = 10 * 60_000;
const SESSION_LIFE_MS = 12 * 60 * 60_000;
/** The oldest goes: whoever asks for links in a loop fills nothing. */
const CODES_MAX = 20;
const SESSIONS_MAX = 100;

interface BrowserSession {
  /** For counting and for logs; it opens nothing. */
  readonly name: string;
  /** The id of the token that asked for its link: the session is its owner's and ends with it. Null: nobody showed one. */
  readonly token: string | null;
  /** What a page of ours knows and one of somebody else does not. */
  readonly csrf: string;
}

interface ListedSession {
  readonly name: string;
  readonly token: string | null;
  readonly untilMs: number;
}

export interface Logins {
  /** The token of this server itself. Sessions that were opened with the one of a server before go on with it. */
  serveAs(token: string): void;
  /** Part of a link that works once. */
  newCode(token: string | null): string;
  /** The secret of a new session and how long it lives; null: the code is unknown, used or too old. */
  redeem(code: string): { readonly secret: string; readonly lifeMs: number; readonly token: string | null } | null;
  sessionOf(secret: string): BrowserSession | null;
  end(secret: string): void;
  list(): readonly ListedSession[];
  /** False: there is none of this name. */
  endNamed(name: string): boolean;
}

/** Where sessions are while no server runs. */
export interface SessionFile {
  read(): string | null;
  write(text: string): void;
}

/** The link came from the server itself, and not from somebody's token. */
const OF_SERVER = { of: 'server' } as const;
type Opener = { readonly of: 'server' } | { readonly of: 'token'; readonly token: string | null };

interface KeptCode {
  readonly untilMs: number;
  readonly opener: Opener;
}

interface Kept {
  readonly opener: Opener;
  readonly untilMs: number;
}

interface LoginParts {
  readonly clock: Clock;
  readonly random: Random;
}

export function openLogins({ clock, random }: LoginParts, file: SessionFile | null = null): Logins {
  const codes = new Map<string, KeptCode>();
  const sessions = keptIn(file, clock.nowMs());
  let ownToken: string | null = null;
  const secret = (): string => Buffer.from(random.bytes(32)).toString('base64url');
  const save = (): void => file?.write(`${JSON.stringify([...sessions])}\n`);
  const openerFor = (token: string | null): Opener =>
    token !== null && token === ownToken ? OF_SERVER : { of: 'token', token };
  const tokenOf = (opener: Opener): string | null => (opener.of === 'server' ? ownToken : opener.token);
  const nameOf = (hash: string): string => `session-${hash.slice(0, 12)}`;
  const drop = (hash: string): boolean => {
    const wasThere = sessions.delete(hash);
    if (wasThere) save();
    return wasThere;
  };
  return {
    serveAs: (token) => {
      ownToken = token;
    },
    newCode: (token) => {
      const code = secret();
      const kept = { untilMs: clock.monotonicMs() + CODE_LIFE_MS, opener: openerFor(token) };
      keep(codes, hexDigestOf(code), kept, CODES_MAX);
      return code;
    },
    redeem: (code) => {
      const known = codes.get(hexDigestOf(code));
      codes.delete(hexDigestOf(code));
      if (known === undefined || known.untilMs < clock.monotonicMs()) return null;
      const made = secret();
      const { opener } = known;
      keep(sessions, hexDigestOf(made), { opener, untilMs: clock.nowMs() + SESSION_LIFE_MS }, SESSIONS_MAX);
      save();
      return { secret: made, lifeMs: SESSION_LIFE_MS, token: tokenOf(opener) };
    },
    sessionOf: (given) => {
      const hash = hexDigestOf(given);
      const known = sessions.get(hash);
      if (known === undefined) return null;
      if (known.untilMs <= clock.nowMs()) {
        drop(hash);
        return null;
      }
      return { name: nameOf(hash), token: tokenOf(known.opener), csrf: hexDigestOf(`csrf ${given}`) };
    },
    end: (given) => void drop(hexDigestOf(given)),
    list: () =>
      [...sessions].map(([hash, { opener, untilMs }]) => ({ name: nameOf(hash), token: tokenOf(opener), untilMs })),
    endNamed: (name) => {
      const hash = [...sessions.keys()].find((each) => nameOf(each) === name);
      return hash !== undefined && drop(hash);
    },
  };
}

/** A file that nobody can read holds no session. */
function keptIn(file: SessionFile | null, nowMs: number): Map<string, Kept> {
  const text = file?.read() ?? null;
  if (text === null) return new Map();
  try {
    const entries = JSON.parse(text) as readonly (readonly [string, Kept])[];
    return new Map(entries.filter(([, { untilMs }]) => untilMs > nowMs && untilMs <= nowMs + SESSION_LIFE_MS));
  } catch {
    return new Map();
  }
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
