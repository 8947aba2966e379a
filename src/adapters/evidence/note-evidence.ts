/** Evidence that no machine judges here: an address is never fetched, a note is read by people. */
import { held, isStorable, quoted, untrue, type Finding } from './evidence-finding.ts';

const URL_MAX = 2_000;
const NOTE_MAX = 10_000;

/** No honest address holds a line end. */
const UNFIT_IN_URL = /[\p{Cc}\p{Surrogate}\s]/u;

export function checkUrl(text: string): Finding {
  const url = text.trim();
  if (url === '') return untrue('the url is empty; give the address of what you made');
  if (url.length > URL_MAX) return untrue(`the url is longer than ${URL_MAX} characters; give a shorter address`);
  if (UNFIT_IN_URL.test(url)) return untrue(`${quoted(url)} holds a space or a control character; encode it with %`);
  const read = URL.canParse(url) ? new URL(url) : null;
  if (read === null || (read.protocol !== 'http:' && read.protocol !== 'https:')) {
    return untrue(`${quoted(url)} is not an http or https address; write it in full, with https:// in front`);
  }
  if (read.username !== '' || read.password !== '') {
    return untrue('the url holds a user name or password, and evidence is kept for ever; leave them out');
  }
  return held({ kind: 'url', url }, `${quoted(url)} is for people to open; Baton does not fetch it`);
}

export function checkNote(text: string): Finding {
  if (text.trim() === '') return untrue('the note is empty; say what was done, or show a file, commit or command');
  if (text.length > NOTE_MAX) {
    return untrue(`the note is longer than ${NOTE_MAX} characters; put it into a file and show the file`);
  }
  if (!isStorable(text)) return untrue('the note holds characters that cannot be kept (U+0000, half a pair)');
  return held({ kind: 'note', text }, 'a note: no machine can judge it');
}
