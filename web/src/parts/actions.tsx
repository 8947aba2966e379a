/** What the viewer may do with a handoff now; the server has said what that is, and judges again when it is asked. */
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { tell, type HandoffView, type Shown } from '../api.ts';
import { go, handoffHref } from '../where.ts';
import { textsIn } from './texts-in.ts';
import { say } from './toasts.tsx';

interface Question {
  readonly name: string;
  readonly label: string;
  readonly needed?: true;
  readonly long?: true;
}

interface Action {
  readonly label: string;
  readonly asks: readonly Question[];
  readonly tone?: 'bad';
}

const REASON: Question = { name: 'reason', label: 'Reason', long: true };
const NOTES: Question = { name: 'notes', label: 'Notes', long: true };

const ACTIONS: Readonly<Record<string, Action>> = {
  activate: { label: 'Activate', asks: [] },
  accept: { label: 'Accept', asks: [NOTES] },
  verify: { label: 'Verify', asks: [NOTES] },
  unblock: { label: 'Unblock', asks: [{ name: 'answer', label: 'Answer', long: true }] },
  block: { label: 'Ask a question', asks: [{ name: 'question', label: 'Question', needed: true, long: true }] },
  release: { label: 'Give back', asks: [] },
  retry: { label: 'Retry', asks: [] },
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

/** The moves of a holder. The fence on the screen is shown with them, as the revision is: both say what was judged. */
const HOLDERS_MOVES: readonly string[] = ['block', 'release', 'fail', 'reject'];

function fenceFor(name: string, { state, fence }: Shown): { readonly fence?: number } {
  return state === 'accepted' && HOLDERS_MOVES.includes(name) ? { fence } : {};
}

export function Actions({ handoff, reload }: { readonly handoff: Shown; readonly reload: () => void }): VNode | null {
  const [asked, setAsked] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const possible = (handoff.may ?? []).filter((name) => ACTIONS[name] !== undefined);
  if (possible.length === 0) return null;

  const perform = async (name: string, answers: Readonly<Record<string, string>>): Promise<void> => {
    const given = Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== ''));
    const body = { ...given, ...(name === 'verify' ? agreed(handoff) : {}), ...fenceFor(name, handoff) };
    try {
      const path = `/api/handoffs/${encodeURIComponent(handoff.id)}/${name}`;
      // Judged by what is on the screen: if it has moved on since, the server says so instead of doing it.
      const moved = await tell<HandoffView>(
        path,
        body,
        name === 'retry' ? {} : { 'if-match': `"${handoff.revision}"` },
      );
      dialog.current?.close();
      setProblem(null);
      say('good', `${ACTIONS[name]?.label ?? name}: ${moved.state}`);
      if (moved.id === handoff.id) reload();
      else go(handoffHref(moved.id));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      if (dialog.current?.open !== true) say('bad', error instanceof Error ? error.message : String(error));
      reload();
    }
  };
  const action = asked === null ? undefined : ACTIONS[asked];

  return (
    <div class="actions" role="group" aria-label="Actions">
      {possible.map((name) => (
        <button
          key={name}
          type="button"
          class={ACTIONS[name]?.tone === 'bad' ? 'bad' : ''}
          onClick={() => {
            setProblem(null);
            setAsked(name);
            if ((ACTIONS[name]?.asks.length ?? 0) === 0) void perform(name, {});
            else dialog.current?.showModal();
          }}
        >
          {ACTIONS[name]?.label}
        </button>
      ))}
      <dialog ref={dialog} aria-labelledby="action-title">
        {action === undefined || asked === null ? null : (
          <form
            key={asked}
            onSubmit={(event) => {
              event.preventDefault();
              void perform(asked, textsIn(event.currentTarget));
            }}
          >
            <h2 id="action-title">{action.label}</h2>
            {action.asks.map(({ name, label, needed, long }) => (
              <label key={name}>
                {label}
                {long ? <textarea name={name} rows={4} required={needed} /> : <input name={name} required={needed} />}
              </label>
            ))}
            {problem === null ? null : (
              <p class="problem" role="alert">
                {problem}
              </p>
            )}
            <div class="buttons">
              <button type="button" onClick={() => dialog.current?.close()}>
                Back
              </button>
              <button type="submit" class="primary">
                {action.label}
              </button>
            </div>
          </form>
        )}
      </dialog>
    </div>
  );
}

/** Whoever verifies here agrees to all criteria; who does not, refuses. */
function agreed({ criteria }: Shown): object {
  return criteria === undefined ? {} : { criteria: criteria.map((criterion) => ({ criterion })) };
}
