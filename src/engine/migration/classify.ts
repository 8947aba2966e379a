/**
 * Decides whether a file is a handoff that may be moved. Moving another file does harm; leaving a handoff in its place does
 * not. So a file has to call itself a handoff, or clearly name both parties and the work at its top, without signs to the
 * contrary. An unclear file is listed with the reason and never moved.
 */
import { agentOf } from '../../formats/legacy/agents.ts';
import type { FileNameReading } from '../../formats/legacy/file-name.ts';
import { meaningsOf, isWrapper, wordOf } from '../../formats/legacy/keys.ts';
import { isPlaceholder } from '../../formats/legacy/plain-text.ts';
import { isStructured, type Field, type Found, type LegacyReading } from '../../formats/legacy/legacy-reading.ts';
import { sectionsOf } from '../../formats/legacy/sections.ts';
import { foreignFolderIn, isOtherKind } from './foreign-folders.ts';

export type Classification =
  | { readonly is: 'sure' }
  /** `because` completes "left where it is: …". */
  | {
      readonly is: 'unclear';
      readonly because: string;
      /** Only a party is missing. */
      readonly lacks?: 'party';
    }
  | { readonly is: 'other' };

export interface ClassifyTerms {
  /** The folder of the workspace that was asked about; empty: all. */
  readonly below: string;
  /** Whether the user names a sender and a recipient for files that name none. */
  readonly hasFrom: boolean;
  readonly hasTo: boolean;
}

const OTHER: Classification = { is: 'other' };
const HANDOFF = /hand[-_ ]?(?:off|over)|passation|übergabe|引き継ぎ|인수인계|交接/i;

export function classify(
  path: string,
  reading: LegacyReading,
  name: FileNameReading,
  terms: ClassifyTerms,
): Classification {
  const signs = handoffSigns(reading, name);
  const parties = { from: partyOf(reading.from, 'from', signs > 0), to: partyOf(reading.to, 'to', signs > 0) };
  const unclear = (because: string): Classification => ({ is: 'unclear', because });
  if (signs === 0 && !(parties.from?.isPlain === true && parties.to?.isPlain === true)) return OTHER;

  const folder = foreignFolderIn(path, terms.below);
  if (folder !== null) return unclear(`it is in ${folder}/; to include it, name the folder: baton migrate ${folder}`);
  if (isOtherKind(name.stem)) return unclear('its name is that of a page, a form or an example');
  if (reading.problems.some(({ says }) => says.endsWith('kept, not read'))) return unclear('it is not a text');
  const blank = blankIn(reading);
  if (blank !== null)
    return unclear(`it is a form with blanks: ${blank.key} is ${JSON.stringify(blank.text.slice(0, 40))}`);
  if (reading.from?.form === 'yaml-block' || reading.to?.form === 'yaml-block')
    return unclear('it names its parties in a block of code; baton ingest reads such blocks');

  if (signs === 0) return describesWork(reading) ? { is: 'sure' } : unclear(NOT_CALLED);
  const missing = missingParties(parties.from !== null || terms.hasFrom, parties.to !== null || terms.hasTo);
  if (missing !== null) return { is: 'unclear', because: missing, lacks: 'party' };
  if (isOtherRecord(reading.fields, RECORD_KEYS)) return unclear('it is a record of a journey, a payment or a meeting');
  if (isMail(reading)) return unclear('it is a mail');
  const ranks = [parties.from, parties.to].flatMap((party) => (party === null ? [] : [party.rank]));
  const isNamedSo = ranks.includes('strong') || (signs > 1 && !ranks.includes('weak')) || ranks.length === 0;
  if (!isNamedSo) return unclear('it names an author or an owner, not a sender and a recipient');
  const isOnlyNamed = ranks.length > 0 && [parties.from, parties.to].every((party) => party?.isInName === true);
  return isOnlyNamed ? unclear('only its name says from whom and to whom') : { is: 'sure' };
}

export function missingParties(hasFrom: boolean, hasTo: boolean): string | null {
  const missing = [...(hasFrom ? [] : ['sender']), ...(hasTo ? [] : ['recipient'])];
  return missing.length === 0 ? null : `it names no ${missing.join(' and no ')}`;
}

const NOT_CALLED = 'it names two parties, but does not call itself a handoff';

/** In how many ways a file says that it is a handoff: by name, folder, title, type and keys. */
function handoffSigns({ fields, title, from, to }: LegacyReading, name: FileNameReading): number {
  const isInOwnKey = [from, to].some((found) => found !== null && isStructured(found.form) && OWN_KEY.test(found.path));
  const ways = [
    name.says !== null,
    name.amongHandoffs,
    title !== null && title.form === 'heading' && HANDOFF.test(title.text),
    fields.some((field) => isTop(field) && TYPE_KEY.test(wordOf(field.key)) && HANDOFF.test(field.text)),
    fields.some(isOwnId) || isInOwnKey,
  ];
  return ways.filter(Boolean).length;
}

const TYPE_KEY = /^(?:type|kind|doc_type|document_type|record_type|category|template_type)$/;
const OWN_KEY = /^(?:handoff|handover|hand_off)\./i;
const AGENT_KEYS = /^(?:from|to)_agent$/;

function isOwnId(field: Field): boolean {
  return isTop(field) && (wordOf(field.key) === 'handoff_id' || AGENT_KEYS.test(wordOf(field.key)));
}

function isTop({ path, key, form, line }: Field): boolean {
  if (form === 'yaml-block') return false;
  return isStructured(form) ? path === key || OWN_KEY.test(path) : line <= HEAD_LINES;
}

/** The fields of a markdown file stand at its top; further down, the same words are about the work. */
const HEAD_LINES = 40;

interface Party {
  /** `weak` words (author, owner) need not name a party. `assigning` words count together with others. */
  readonly rank: 'strong' | 'assigning' | 'weak';
  /** Unambiguous words at the top of the file. */
  readonly isPlain: boolean;
  readonly isInName: boolean;
}

const WEAK = new Set(
  'author autor auteur verfasser 작성자 owner responsible agent agent_role agent_name producer source target destination next for pour fur name origin'.split(
    ' ',
  ),
);

function partyOf(found: Found | null, role: 'from' | 'to', isCalled: boolean): Party | null {
  if (found === null || agentOf(found.text) === null || HANDOFF.test(found.text)) return null;
  if (found.form === 'file-name') return { rank: 'strong', isPlain: false, isInName: true };
  // A title such as "Handoff: Codex → Opus" names both.
  if (found.key === 'title') return HANDOFF.test(found.text) || isCalled ? plainParty(false) : null;
  if (isStructured(found.form) ? !isInPlace(found, isCalled) : found.line > HEAD_LINES) return null;
  const word = wordOf(found.key);
  if (/→|->|=>/.test(found.key) || ROUTES.has(word)) return plainParty(false);
  const meaning = meaningsOf(found.key).find((each) => each.role === role);
  // `from: { name: x }`: the object is the word.
  if (meaning === undefined || meaning.how === 'near' || WEAK.has(word)) {
    const parent = wordOf(found.path.split(/[.[]/).at(-2) ?? '');
    const isStrong = meaningsOf(parent).some((each) => each.role === role && each.how === 'plain');
    return isStrong ? plainParty(false) : { rank: 'weak', isPlain: false, isInName: false };
  }
  if (meaning.how === 'plain' || OTHER_LANGUAGES.has(word)) return plainParty(found.sure === 'certain');
  return { rank: 'assigning', isPlain: false, isInName: false };
}

function plainParty(isPlain: boolean): Party {
  return { rank: 'strong', isPlain, isInName: false };
}

/** A field that names both: `Route: ann → bob`, `# Handoff: ann → bob`. */
const ROUTES = new Set('route agents direction flow handoff handover transfer transition'.split(' '));

/** Words of other languages that are as plain as "from" and "to". */
const OTHER_LANGUAGES = new Set(
  'de von da para an a 差出人 発信者 发件人 来自 宛先 受信者 收件人 接收者 보낸사람 보낸_사람 보내는_사람 발신자 발신 보낸이 받는사람 받는_사람 수신자 수신 받는이 인수자 отправитель от получатель кому emetteur expediteur destinataire remitente destinatario absender empfanger'.split(
    ' ',
  ),
);

/** At the top, below a key that says handoff or, in a file that calls itself one, below a key that only wraps the rest. */
function isInPlace({ path }: Found, isCalled: boolean): boolean {
  const parts = path.split('.').slice(0, -1);
  return parts.every((part) => {
    const key = part.replace(/\[0\]$/, '');
    if (/\[/.test(key)) return false;
    return OWN_KEY.test(`${key}.`) || (isCalled && isWrapper(key)) || isParty(key);
  });
}

function isParty(key: string): boolean {
  return meaningsOf(key).some(({ role, how }) => (role === 'from' || role === 'to') && how !== 'near');
}

/** The first field that still waits to be filled in. */
function blankIn({ id, from, to, status, created, title }: LegacyReading): Found | null {
  const isBlank = (found: Found | null): boolean => found !== null && isPlaceholder(found.text);
  const named = [from, to].find((found) => found !== null && (isBlank(found) || BLANK_NAME.test(found.text.trim())));
  if (named !== undefined) return named;
  const filled = [id, status, created].find(isBlank);
  if (filled !== undefined) return filled;
  return title !== null && BLANK_TITLE.test(title.text) ? title : null;
}

const BLANK_NAME =
  /^@?(?:from|to|sender|recipient|receiver|addressee|name|(?:from|to|sending|receiving|source|target|next|your|this|other)[ _-]?(?:agent|name)(?:[ _-]?(?:name|id))?|agent[ _-]?(?:name|id|[a-z]|from|to)|your[ _-].{1,30})$/i;
const BLANK_TITLE =
  /\[(?:title|name|agent|task|date|description|feature|project|topic|subject|id|your [^\]]*|short [^\]]*|brief [^\]]*)\]|<[a-z][^<>]*>|\{\{?[^{}]+\}\}?|__[A-Z]\w*__|(?<!\w)XXX+(?!\w)|\bTITLE$/;

const RECORD_KEYS =
  /^(?:pilot|flight|flight_no|aircraft|gate|departure|arrival|distance|amount|invoice|invoice_no|iban|attendees|facilitator|translator)$/;
const NOT_WORK_KEYS = /^(?:cc|bcc|subject|sent|attendees|present|participants|reply_to|message_id|rate|version)$/;

function isOtherRecord(fields: readonly Field[], keys: RegExp): boolean {
  return fields.some(({ key, line }) => line <= HEAD_LINES && keys.test(wordOf(key)));
}

function isMail({ from, to }: LegacyReading): boolean {
  return [from, to].every((found) => found !== null && /^["\s]*[^\s@<>]+@[\w-]+\.\w/.test(found.text));
}

/** For a file that does not call itself a handoff: it has a state and the work. Goods and people go from A to B as well. */
function describesWork(reading: LegacyReading): boolean {
  const { from, to, state, task, fields } = reading;
  if (state === null || from === null || to === null || isMail(reading)) return false;
  if (isStructured(from.form) && from.form !== 'front-matter') return false;
  if (isOtherRecord(fields, RECORD_KEYS) || isOtherRecord(fields, NOT_WORK_KEYS)) return false;
  if ([from, to].some(({ text }) => /^v?\d|[/\\]\S|^\S+\.\w{1,4}$|^[A-Z]{3,4}$/.test(text.trim()))) return false;
  if (/migrat|upgrade|transfer|transl|convert|rename|refactor|mov(?:e|ing)/i.test(reading.title?.text ?? ''))
    return false;
  const { deliverables, criteria } = sectionsOf(reading);
  return (task !== null && task.sure !== 'guess') || deliverables.length > 0 || criteria.length > 0;
}
