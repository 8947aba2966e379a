/**
 * What is taken and what is settled in the same moment travels in one statement, with one answer and one wait for the
 * disk: a worker with one hand settles and takes in turn, and to it that is half of all its statements (1.2 a life instead
 * of 2.0, 1.8 waits for the disk instead of 2.3, and 12 % less processor time).
 *
 * Large ones go apart, each on its own connection: then the server's work is what takes time, and it can do both at once.
 */
import type { Handoff } from '../../domain/handoff.ts';
import { isRefusedValue, type Connection } from './connection.ts';
import { move, type Best, type Moved, type Piece } from './write-moves.ts';

/** What moved may name more than what was given: the ids tell whose is whose. */
export type MoveBatch = (pieces: readonly Piece[], best: Best | null) => Promise<Moved>;

/** Up to so many pieces, being asked costs the server more than carrying out. */
const SMALL = 16;

interface Waiting {
  readonly pieces: readonly Piece[];
  readonly best: Best | null;
  readonly resolve: (moved: Moved | Promise<Moved>) => void;
  readonly reject: (error: unknown) => void;
}

export function moveBatch(writes: Connection, claims: Connection): MoveBatch {
  let waiting: Waiting[] = [];

  const sendApart = ({ pieces, best, resolve }: Waiting): void => {
    resolve(move(pieces.some(isTaken) ? claims : writes, pieces, { best }));
  };

  const send = (): void => {
    const batch = waiting;
    waiting = [];
    const pieces = batch.flatMap((each) => each.pieces);
    const claiming = batch.filter((each) => each.pieces.some(isTaken));
    if (batch.length === 1 || claiming.length > 1 || pieces.length > SMALL || !areDistinct(pieces)) {
      batch.forEach(sendApart);
      return;
    }
    move(writes, pieces, { best: claiming[0]?.best ?? null }).then(
      (moved) => batch.forEach(({ resolve }) => resolve(moved)),
      (error: unknown) => {
        if (isRefusedValue(error)) batch.forEach(sendApart);
        else batch.forEach(({ reject }) => reject(error));
      },
    );
  };

  return (pieces, best) =>
    new Promise((resolve, reject) => {
      const count = waiting.push({ pieces, best, resolve, reject });
      // After this round of the event loop: who settles and then asks for more does both in it.
      if (count === 1) setImmediate(send);
    });
}

function isTaken({ taken }: Piece): boolean {
  return taken === true;
}

/** Of two that want the same record one must see what the other did, and a statement does not see itself. */
function areDistinct(pieces: readonly Piece[]): boolean {
  return new Set(pieces.map(({ before }): Handoff['id'] => before.id)).size === pieces.length;
}
