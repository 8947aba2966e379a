/** The words that people use for each role. The first in a list is the plainest. */
import type { Role } from './legacy-reading.ts';

const SYNONYMS = {
  id: [
    'handoff_id handoffid id uuid ticket_id document_id doc_id message_id task_id taskid work_item_id cycle_id run_id job_id',
    'identifier identificador identifiant kennung ticket ticket_number handoff_number number ref',
  ],
  from: [
    'from_agent from sender source_agent handed_off_by handoff_from from_role delegated_by sent_by handing_off outgoing_agent',
    'handing_off_agent issued_by agent_emetteur emetteur expediteur remitente absender assigned_by delegator from_model',
    'current_mode current_agent previous_agent origin_agent origin created_by createdby prepared_by written_by reported_by',
    'requested_by requester reporter handing_off_from completed_by done_by 差出人 発信者 发件人 来自 보낸사람 보낸_사람 보내는_사람 발신자 발신 보낸이 отправитель от 작성자 author autor auteur verfasser agent_role agent_name agent producer source de von da',
  ],
  to: [
    'to_agent to recipient receiver target_agent handoff_to handed_off_to handing_off_to to_role receiving_agent incoming_agent',
    'next_agent assigned_to assignedto assignee delegated_to addressee addressed_to agent_destinataire destinataire destinatario',
    'empfanger 宛先 受信者 收件人 接收者 받는사람 받는_사람 수신자 수신 받는이 인수자 получатель кому to_model next_mode next_role next_owner next_assignee successor sent_to subagent_name subagent worker_name',
    'destination attention attn prepared_for intended_for owner responsible target next para fur pour an for',
  ],
  status: [
    'status handoff_status state current_status estado statut zustand stato situation handoff_state task_status',
    'ステータス 状態 状态 상태 статус decision verdict outcome result resolution',
  ],
  created: [
    'created_at created createdat created_on creation_date date_created timestamp handoff_date date datetime date_time issued',
    'issued_at sent_at sent generated_at generated opened_at opened delegated_at written_at fecha datum data_criacao started_at',
    '日付 日期 作成日 날짜 작성일 생성일 дата started start_date updated_at updated last_updated last_modified',
  ],
  title: [
    'title subject handoff_title task_title titulo titre titel betreff sujet asunto topic re objective objectif objetivo',
    'summary goal purpose name subtask',
  ],
  task: [
    'related_task task task_id taskid task_ref related_tasks bprd ticket issue story story_id work_item jira tarea aufgabe tache',
    'parent_task_id spec spec_id',
  ],
} as const satisfies Record<Role, readonly string[]>;

/** How many words at the beginning of a list mean nothing else. */
const PLAIN_WORDS: Readonly<Record<Role, number>> = {
  id: 11,
  from: 11,
  to: 11,
  status: 10,
  created: 10,
  title: 8,
  task: 8,
};

export interface Meaning {
  readonly role: Role;
  /** Lower is plainer. */
  readonly rank: number;
  /** `plain` words mean the role; `loose` ones often do; `near` ones only contain such a word. */
  readonly how: 'plain' | 'loose' | 'near';
}

/** A limit on the caches: files repeat their keys, and strange files may have any number of them. */
const MEANINGS_MAX = 5_000;
const words = new Map<string, string>();
const KNOWN = new Map<string, Meaning[]>();
for (const role of Object.keys(SYNONYMS) as Role[]) {
  for (const [rank, written] of SYNONYMS[role].join(' ').split(' ').entries()) {
    const word = wordOf(written);
    const how = rank < PLAIN_WORDS[role] ? 'plain' : 'loose';
    KNOWN.set(word, [...(KNOWN.get(word) ?? []), { role, rank, how }]);
  }
}

const NEAR_RANK = 60;
const NOT_ITS_ID =
  /^(?:parent|session|feature|goal|batch|campaign|author|source|previous|prev|schema|project|user|root|trace)_/;
const NOT_ITS_DATE = /^(?:due|target|end|completed?|completion|expir\w*|deadline|finish\w*|closed|version|release)_/;
const PART_OF_IT = /^(?:is|has|no|total|max|min|num|count)_/;

const meanings = new Map<string, readonly Meaning[]>();

export function meaningsOf(key: string): readonly Meaning[] {
  const known = meanings.get(key);
  if (known !== undefined) return known;
  const word = wordOf(key);
  const found = KNOWN.get(word) ?? near(word);
  if (meanings.size < MEANINGS_MAX) meanings.set(key, found);
  return found;
}

function near(word: string): readonly Meaning[] {
  const found = (role: Role): readonly Meaning[] => [{ role, rank: NEAR_RANK, how: 'near' }];
  if (PART_OF_IT.test(word)) return [];
  if (word.endsWith('_id') && !NOT_ITS_ID.test(word)) return found('id');
  if (/_(?:status|state)$|^(?:status|state)_|_status_/.test(word)) return found('status');
  if (
    /_(?:date|at|timestamp)$/.test(word) &&
    !NOT_ITS_DATE.test(word) &&
    /dat|creat|sent|gener|issue|open/.test(word)
  ) {
    return found('created');
  }
  if (word.startsWith('from_') || /_(?:sender|author)$/.test(word)) return found('from');
  if (
    /^(?:to|next|assigned)_(?:agent|owner|role|model|to)/.test(word) ||
    /_(?:recipient|assignee|addressee)$/.test(word)
  ) {
    return found('to');
  }
  return [];
}

/** `fromAgent`, `From Agent`, `**FROM-AGENT**` and `📤 From agent` are one word. */
export function wordOf(key: string): string {
  const known = words.get(key);
  if (known !== undefined) return known;
  const word = key
    .slice(0, 120)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/\([^()]*\)/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .normalize('NFC');
  if (words.size < MEANINGS_MAX && key.length <= 120) words.set(key, word);
  return word;
}

/** Keys that only wrap the rest and add no meaning. */
const WRAPPERS = new Set(
  'handoff handover hand_off envelope payload metadata meta header headers message data task ticket frontmatter body content info details agents parties routing participants'.split(
    ' ',
  ),
);

export function isWrapper(key: string): boolean {
  return WRAPPERS.has(wordOf(key));
}

/** The keys that name the agent in an object about an agent, the best first. */
const NAMING = 'name agent_name agent agent_id nom nombre handle id producer role persona model mode'.split(' ');

export function namingRank(key: string): number {
  return NAMING.indexOf(wordOf(key));
}
