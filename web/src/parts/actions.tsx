/** The actions that the viewer may take now. The server names them, and checks each one again. */
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { EVIDENCE_KINDS } from '../../../src/domain/evidence.ts';
import { postJson, type HandoffView, type HandoffDetail } from '../api.ts';
import { go, handoffHref } from '../location.ts';
import { STATES } from '../states.ts';
import { Dialog } from './labels.tsx';
import {
  filledIn,
  FormButtons,
  jsonOrText,
  linesIn,
  onSubmit,
  Options,
  OTHER_PRIORITIES,
  ProblemText,
  useRequest,
} from './forms.tsx';
import { toast, toastProblem } from './toasts.tsx';

interface Question {
  readonly name: string;
  readonly label: string;
  readonly needed?: true;
  readonly long?: true;
  readonly of?: readonly string[];
  /** The initial value. */
  readonly given?: (handoff: HandoffDetail) => string;
}

interface Action {
  readonly label: string;
  readonly asks: readonly Question[];
  readonly tone?: 'bad';
  readonly body?: (answers: Readonly<Record<string, string>>, handoff: HandoffDetail) => object;
}

const REASON: Question = { name: 'reason', label: 'Reason', long: true };
const NOTES: Question = { name: 'notes', label: 'Notes', long: true };

function linesOf(name: 'deliverables' | 'criteria'): (handoff: HandoffDetail) => string {
  return (handoff) => (handoff[name] ?? []).join('\n');
}

const ACTIONS: Readonly<Record<string, Action>> = {
  activate: { label: 'Activate', asks: [] },
  revise: {
    label: 'Edit',
    asks: [
      { name: 'title', label: 'Title', given: ({ title }) => title ?? '' },
      { name: 'priority', label: 'Priority', of: OTHER_PRIORITIES },
      { name: 'deliverables', label: 'Deliverables, one per line', long: true, given: linesOf('deliverables') },
      { name: 'criteria', label: 'Criteria, one per line', long: true, given: linesOf('criteria') },
    ],
    body: ({ deliverables = '', criteria = '', ...given }) => ({
      ...given,
      deliverables: linesIn(deliverables),
      criteria: linesIn(criteria),
    }),
  },
  accept: { label: 'Accept', asks: [NOTES] },
  unblock: {
    label: 'Answer',
    asks: [{ name: 'answer', label: 'Answer', long: true, needed: true }],
  },
  deliver: {
    label: 'Deliver',
    asks: [{ name: 'result', label: 'Result (text or JSON)', long: true }],
    body: ({ result = '', ...answers }, { deliverables = [] }) => ({
      ...(result === '' ? {} : { result: jsonOrText(result) }),
      evidence: deliverables.flatMap((deliverable, index) => {
        const value = answers[`value-${index}`] ?? '';
        return value === '' ? [] : [{ deliverable, kind: answers[`kind-${index}`] ?? 'note', value }];
      }),
    }),
  },
  progress: {
    label: 'Report progress',
    asks: [
      { name: 'percent', label: 'Percent done' },
      { name: 'says', label: 'How far it is', long: true, needed: true },
    ],
    body: ({ percent = '', says }) => ({ says, ...(percent === '' ? {} : { fraction: Number(percent) / 100 }) }),
  },
  retry: {
    label: 'Retry',
    asks: [
      { name: 'input', label: 'Input', long: true, given: ({ input }) => written(input) },
      { name: 'to', label: 'To', needed: true, given: ({ to }) => to },
    ],
    body: ({ input = '', to = '' }, handoff) => ({
      ...(input === written(handoff.input).trim() ? {} : { input: jsonOrText(input) }),
      ...(to === handoff.to ? {} : { to }),
    }),
  },
  reassign: {
    label: 'Reassign',
    asks: [
      { name: 'to', label: 'To another agent' },
      { name: 'priority', label: 'Priority', of: OTHER_PRIORITIES },
      REASON,
    ],
  },
  block: { label: 'Ask a question', asks: [{ name: 'question', label: 'Question', needed: true, long: true }] },
  release: { label: 'Give back', asks: [] },
  reject: {
    label: 'Reject',
    asks: [
      { name: 'type', label: 'Type (like skill_gap)', needed: true },
      { ...REASON, needed: true },
    ],
    tone: 'bad',
  },
  fail: {
    label: 'Fail',
    asks: [
      { name: 'code', label: 'Code (like PROCESSING_ERROR)', needed: true },
      { name: 'message', label: 'Message', needed: true, long: true },
    ],
    tone: 'bad',
  },
  cancel: { label: 'Cancel', asks: [REASON], tone: 'bad' },
};

/** The first of these that is allowed becomes the main button. The review has a panel of its own. */
const PRIMARY = ['unblock', 'activate', 'accept', 'deliver', 'retry'];

/** Moves of the holder. They send the fence on the screen, so that a lost lease is noticed. */
const HOLDERS_MOVES: readonly string[] = ['block', 'release', 'fail', 'reject', 'deliver', 'progress'];

function written(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input, null, 2);
}

interface Props {
  readonly handoff: HandoffDetail;
  readonly reload: () => void;
  /** Whether the review panel is shown, so that no action is the main button. */
  readonly review: boolean;
}

export function Actions({ handoff, reload, review }: Props): VNode | null {
  const [asked, setAsked] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const may = (handoff.may ?? []).filter((name) => ACTIONS[name] !== undefined);
  const first = review ? undefined : PRIMARY.find((name) => may.includes(name));
  const others = Object.keys(ACTIONS).filter((name) => may.includes(name) && name !== first);
  if (may.length === 0) return null;
  const begin = (name: string): void => {
    if (isBusy) return;
    if ((ACTIONS[name]?.asks.length ?? 0) > 0) setAsked(name);
    else {
      setBusy(true);
      perform(handoff, name, {})
        .then(reload, toastProblem)
        .finally(() => setBusy(false));
    }
  };
  return (
    <div class="actions" role="group" aria-label="Actions">
      {first === undefined ? null : (
        <button type="button" class="primary" disabled={isBusy} onClick={() => begin(first)}>
          {ACTIONS[first]?.label}
        </button>
      )}
      {others.length === 0 ? null : (
        <details class="more">
          <summary>More</summary>
          <div class="menu">
            {others.map((name) => (
              <button
                key={name}
                type="button"
                class={ACTIONS[name]?.tone === 'bad' ? 'bad' : ''}
                disabled={isBusy}
                onClick={() => begin(name)}
              >
                {ACTIONS[name]?.label}
              </button>
            ))}
          </div>
        </details>
      )}
      {asked === null ? null : (
        <ActionForm handoff={handoff} name={asked} close={() => setAsked(null)} afterwards={reload} />
      )}
    </div>
  );
}

async function perform(
  handoff: HandoffDetail,
  name: string,
  answers: Readonly<Record<string, string>>,
  key?: string,
): Promise<void> {
  const action = ACTIONS[name];
  const body = {
    ...(action?.body === undefined ? answers : action.body(answers, handoff)),
    ...(handoff.state === 'accepted' && HOLDERS_MOVES.includes(name) ? { fence: handoff.fence } : {}),
  };
  const makesNew = name === 'retry' || name === 'reassign';
  // If the handoff has changed since it was drawn, the server refuses the move.
  const moved = await postJson<HandoffView>(`/api/handoffs/${encodeURIComponent(handoff.id)}/${name}`, body, {
    ...(makesNew ? {} : { 'if-match': `"${handoff.revision}"` }),
    ...(name === 'retry' && key !== undefined ? { 'idempotency-key': key } : {}),
  });
  toast('good', `${action?.label ?? name}: ${STATES[moved.state].name}`);
  if (moved.id !== handoff.id) go(handoffHref(moved.id));
}

interface FormProps {
  readonly handoff: HandoffDetail;
  readonly name: string;
  readonly close: () => void;
  readonly afterwards: () => void;
}

export function ActionForm({ handoff, name, close, afterwards }: FormProps): VNode | null {
  const { isBusy, problem, run } = useRequest();
  /** The same key until the request has succeeded: a second press makes nothing twice. */
  const key = useRef(crypto.randomUUID());
  const action = ACTIONS[name];
  if (action === undefined) return null;
  const { deliverables = [] } = handoff;
  return (
    <Dialog title={action.label} close={close}>
      <form
        onSubmit={onSubmit((form) =>
          run(() => perform(handoff, name, filledIn(form), key.current).then(close).finally(afterwards)),
        )}
      >
        {action.asks.map(({ name: field, label, needed, long, given, of }) => (
          <label key={field}>
            {label}
            {of !== undefined ? (
              <select name={field}>
                <Options of={of} />
              </select>
            ) : long ? (
              <textarea
                name={field}
                rows={given === undefined ? 4 : 10}
                required={needed}
                defaultValue={given?.(handoff) ?? ''}
              />
            ) : (
              <input name={field} required={needed} autocomplete="off" defaultValue={given?.(handoff) ?? ''} />
            )}
          </label>
        ))}
        {name !== 'deliver'
          ? null
          : deliverables.map((deliverable, index) => (
              <fieldset key={deliverable}>
                <legend>Evidence for {deliverable}</legend>
                <div class="inline">
                  <select name={`kind-${index}`} aria-label={`Kind of evidence for ${deliverable}`}>
                    <Options of={EVIDENCE_KINDS} />
                  </select>
                  <input name={`value-${index}`} aria-label={`Evidence for ${deliverable}`} autocomplete="off" />
                </div>
              </fieldset>
            ))}
        <ProblemText text={problem} />
        <FormButtons submit={action.label} close={close} isBusy={isBusy} />
      </form>
    </Dialog>
  );
}
