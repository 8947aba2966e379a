/** Words that people write as a status, and the states that they mean. */
import type { State } from '../../domain/lifecycle.ts';

/** A longer phrase counts before a shorter one: `ready for review` is not `ready`. */
const STATUS_PHRASES = {
  draft:
    'draft|drafted|drafting|created|proposed|proposal|planned|planning|backlog|idea|concept|not sent|borrador|brouillon|entwurf|草稿',
  offered:
    'open|opened|active|new|pending|todo|to do|ready|ready for pickup|waiting|sent|assigned|unassigned|delegated|queued|offered|' +
    'requested|unread|incoming|reopened|re opened|not started|handed off|handoff|hand off|available|unclaimed|outstanding|scheduled|' +
    'awaiting pickup|awaiting acknowledgement|awaiting acknowledgment|next|abierto|abierta|pendiente|ouvert|ouverte|en attente|offen|' +
    'ausstehend|aperto|aberto|待处理|待办|未着手|대기',
  blocked:
    'blocked|on hold|hold|paused|stuck|deferred|suspended|postponed|waiting on|waiting for|needs info|needs input|needs decision|parked|' +
    'bloqueado|bloqueada|bloque|bloquee|blockiert|bloccato|阻塞',
  accepted:
    'acknowledged|accepted|in progress|wip|work in progress|started|working|claimed|picked up|doing|ongoing|implementing|received|' +
    'processing|in development|in work|underway|under way|partial|partially complete|partially done|partially completed|running|not complete|not done|' +
    'incomplete|unfinished|rework|changes requested|revise|revised|resumed|en progreso|en curso|en cours|in arbeit|in bearbeitung|in corso|' +
    'em andamento|进行中|対応中|作業中|진행 중|진행중',
  delivered:
    'delivered|review|in review|under review|needs review|ready for review|waiting review|waiting for review|awaiting review|pending review|' +
    'submitted|submitted for review|for review|ready for verification|awaiting verification|pending verification|ready for qa|in qa|qa|testing|' +
    'in testing|ready to merge|awaiting approval|pending approval|waiting approval|needs approval|implemented|en revision|en revue|in prufung|レビュー中',
  completed:
    'done|complete|completed|actioned|processed|signed off|closed|resolved|finished|merged|shipped|pass|passed|approved|verified|applied|success|successful|succeeded|ok|' +
    'ready for release|deployed|released|landed|fixed|archived|all done|handled|answered|validated|confirmed|green|completado|completada|cerrado|' +
    'cerrada|hecho|hecha|terminado|termine|terminee|ferme|fermee|fait|complet|livre|erledigt|fertig|abgeschlossen|geschlossen|completato|chiuso|' +
    'concluido|concluida|完了|完成|已完成|完了済み|완료',
  failed:
    'failed|fail|failure|error|errored|broken|aborted|crashed|not passed|no go|fehlgeschlagen|fallido|echoue|失败',
  rejected:
    'rejected|declined|refused|denied|returned|sent back|not accepted|not approved|rechazado|rechazada|rejete|refuse|abgelehnt|rifiutato|拒否|拒绝',
  expired: 'expired|stale|timed out|timeout|time out|overdue|lapsed|expirado|expire|abgelaufen|期限切れ',
  cancelled:
    'cancelled|canceled|superseded|abandoned|dropped|withdrawn|obsolete|wontfix|won t fix|wont do|won t do|replaced|deprecated|void|duplicate|' +
    'discarded|invalid|no longer needed|not needed|retired|cancelado|cancelada|annule|annulee|abgebrochen|verworfen|annullato|取消|已取消',
} as const satisfies Record<State, string>;

const SIGNS: readonly (readonly [signs: string, state: State])[] = [
  ['✅☑✔🟩🏁🎉💯', 'completed'],
  ['❌✖✗✘🟥💥', 'failed'],
  ['🚧🔄⏩🟡🟨▶🛠', 'accepted'],
  ['⏸🛑⛔🔒', 'blocked'],
  ['⏳🕒🕓📬📥🆕🟢⬜☐', 'offered'],
  ['👀🔍🧪', 'delivered'],
  ['🚫🗑', 'cancelled'],
];

const STATE_OF = new Map<string, State>();
for (const state of Object.keys(STATUS_PHRASES) as State[]) {
  for (const phrase of STATUS_PHRASES[state].split('|')) STATE_OF.set(wordsOf(phrase).join(' '), state);
}

const WORDS_MAX = 4;
/** A longer text is a sentence, which says more than its first word. */
const SENTENCE_WORDS = 9;

export function stateOf(text: string): State | null {
  const leading = text.slice(0, 400).split(/\s[—–-]\s|[(,;|.:\n\u2192]|\s->\s/, 1)[0] ?? '';
  // A choice that nobody has made yet.
  if (/[^|]\|[^|]/.test(text.slice(0, 200)) && stateIn(leading) === null) return null;
  return stateIn(leading) ?? stateByEmoji(text.slice(0, 40)) ?? stateIn(text.slice(0, 80).replace(/[()[\]]/g, ' '));
}

function stateIn(text: string): State | null {
  const words = wordsOf(text);
  if (words[0] === '' || words.length > SENTENCE_WORDS) return null;
  for (let count = Math.min(WORDS_MAX, words.length); count > 0; count -= 1) {
    const state = STATE_OF.get(words.slice(0, count).join(' '));
    if (state !== undefined) return state;
  }
  return null;
}

/** In lower case, without accents and signs, in one Unicode normal form. */
function wordsOf(text: string): readonly string[] {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .normalize('NFC')
    .split(' ');
}

function stateByEmoji(text: string): State | null {
  for (const [signs, state] of SIGNS) {
    for (const sign of signs) if (text.includes(sign)) return state;
  }
  return /^\s*\[x\]/i.test(text) ? 'completed' : /^\s*\[ \]/.test(text) ? 'offered' : null;
}
