/** How far it is, on one line of standard error that goes away at the end; nothing where nobody watches. */
import { displayLine } from '../../foundation/display-text.ts';
import { counted } from '../../foundation/count-text.ts';
import { isTerminal } from './output.ts';

export interface Progress {
  show(done: number, of?: string): void;
  end(): void;
}

const EVERY_MS = 200;
const CLEAR = '\r\u001b[2K';

export function progressOf(what: string, quiet: boolean): Progress {
  const watched = !quiet && isTerminal(2) && process.env['TERM'] !== 'dumb';
  const beganMs = performance.now();
  let shownMs = beganMs;
  let shown = false;
  return {
    show: (done, of = '') => {
      const nowMs = performance.now();
      if (!watched || nowMs - shownMs < EVERY_MS) return;
      shownMs = nowMs;
      shown = true;
      const perSecond = Math.round((done / (nowMs - beganMs)) * 1000);
      process.stderr.write(`${CLEAR}${displayLine(`${what} ${counted(done)}${of}`)} · ${counted(perSecond)}/s`);
    },
    end: () => {
      if (shown) process.stderr.write(CLEAR);
    },
  };
}
