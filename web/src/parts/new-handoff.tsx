/** Sends a handoff by hand: what the command line can do, for whoever has a browser at hand. */
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { tell, type HandoffView } from '../api.ts';
import { say } from './toasts.tsx';
import { handoffHref } from '../where.ts';
import { textsIn } from './texts-in.ts';

export function NewHandoff(): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  /** The same key until it has worked: a second press of the button sends nothing twice. */
  const key = useRef(crypto.randomUUID());

  const send = async (form: HTMLFormElement): Promise<void> => {
    const given = textsIn(form);
    try {
      const { input, ...rest } = given;
      const body = {
        ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== '')),
        input: input === undefined || input === '' ? {} : (JSON.parse(input) as unknown),
      };
      const sent = await tell<HandoffView>('/api/handoffs', body, { 'idempotency-key': key.current });
      key.current = crypto.randomUUID();
      setProblem(null);
      dialog.current?.close();
      form.reset();
      say('good', `Sent to ${sent.to}`, handoffHref(sent.id));
    } catch (error) {
      const says = error instanceof Error ? error.message : String(error);
      setProblem(error instanceof SyntaxError ? `The input is not JSON: ${says}` : says);
    }
  };

  return (
    <>
      <button type="button" class="primary" onClick={() => dialog.current?.showModal()}>
        New handoff
      </button>
      <dialog ref={dialog} aria-labelledby="new-handoff">
        <form
          method="dialog"
          onSubmit={(event) => {
            event.preventDefault();
            void send(event.currentTarget);
          }}
        >
          <h2 id="new-handoff">New handoff</h2>
          <div class="two">
            <Field name="from" label="From" placeholder="@me" required />
            <Field name="to" label="To" placeholder="@you" required />
          </div>
          <Field name="title" label="Title" placeholder="What it is about" />
          <div class="two">
            <Field name="task" label="Task" placeholder="BPRD-2026-0001" />
            <label>
              Priority
              <select name="priority">
                <option>normal</option>
                <option>urgent</option>
                <option>high</option>
                <option>low</option>
              </select>
            </label>
          </div>
          <label>
            Input (JSON)
            <textarea name="input" rows={6} spellcheck={false} placeholder='{"component": "UserProfile"}' />
          </label>
          {problem === null ? null : (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
          <div class="buttons">
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
            <button type="submit" class="primary">
              Send
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly placeholder: string;
  readonly required?: boolean;
}

function Field({ name, label, placeholder, required = false }: FieldProps): VNode {
  return (
    <label>
      {label}
      <input name={name} placeholder={placeholder} required={required} autocomplete="off" />
    </label>
  );
}
