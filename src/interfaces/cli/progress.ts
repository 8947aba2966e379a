/** Progress on one line of standard error, which is removed at the end. Nothing is printed where nobody watches. */
import { displayLine } from '../../foundation/display-text.ts';
import { counted } from '../../foundation/count-text.ts';
import { isTerminal } from './output.ts';

const EVERY_MS = 200;
const CLEAR = '\r\u001b[2K';

export function statusLine(isQuiet: boolean) {
  const isWatched = !isQuiet && isTerminal(2) && process.env['TERM'] !== 'dumb';
  let isShown = false;
  return {
    /** Replaces what the line said before. */
    show: (text: string) => {
      if (!isWatched) return;
      isShown = true;
      process.stderr.write(`${CLEAR}${displayLine(text)}`);
    },
    end: () => {
      if (isShown) process.stderr.write(CLEAR);
      isShown = false;
    },
  };
}

export function progressOf(what: string, isQuiet: boolean) {
  const line = statusLine(isQuiet);
  const beganMs = performance.now();
  let shownMs = beganMs;
  return {
    show: (done: number, of = '') => {
      const nowMs = performance.now();
      if (nowMs - shownMs < EVERY_MS) return;
      shownMs = nowMs;
      const perSecond = Math.round((done / (nowMs - beganMs)) * 1000);
      line.show(`${what} ${counted(done)}${of} · ${counted(perSecond)}/s`);
    },
    end: line.end,
  };
}
