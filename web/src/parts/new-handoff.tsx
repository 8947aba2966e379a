/** The form that sends a handoff. */
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { postJson, type HandoffView } from '../api.ts';
import { handoffHref } from '../location.ts';
import { newAsked } from './keyboard.tsx';
import { Dialog } from './labels.tsx';
import { Field, filledIn, FormButtons, jsonOrText, linesIn, onSubmit, Options } from './forms.tsx';
import { ProblemText, useRequest } from './forms.tsx';
import { toast } from './toasts.tsx';

const LISTS = ['deliverables', 'criteria', 'verifiers', 'dependsOn'] as const;

export function NewHandoff(): VNode {
  const [isOpen, setOpen] = useState(false);
  const asked = useRef(newAsked.value);
  useEffect(() => {
    if (newAsked.value === asked.current) return;
    asked.current = newAsked.value;
    setOpen(true);
  }, [newAsked.value]);
  return (
    <>
      <button type="button" class="primary new" onClick={() => setOpen(true)}>
        New<span class="wide-only"> handoff</span>
      </button>
      {isOpen ? <NewForm close={() => setOpen(false)} /> : null}
    </>
  );
}

function bodyOf({ input = '', ...given }: Readonly<Record<string, string>>): object {
  const plain = Object.entries(given).filter(([name]) => !LISTS.some((each) => each === name));
  const lists = LISTS.flatMap((name) => {
    const lines = linesIn(given[name] ?? '');
    return lines.length === 0 ? [] : [[name, lines] as const];
  });
  return {
    ...Object.fromEntries(plain),
    ...Object.fromEntries(lists),
    input: input === '' ? {} : jsonOrText(input),
  };
}

function NewForm({ close }: { readonly close: () => void }): VNode {
  const { isBusy, problem, run } = useRequest();
  /** The same key until the request has succeeded: a second press of the button sends nothing twice. */
  const key = useRef(crypto.randomUUID());
  const send = async (form: HTMLFormElement): Promise<void> => {
    const body = bodyOf(filledIn(form));
    const sent = await postJson<HandoffView>('/api/handoffs', body, { 'idempotency-key': key.current });
    close();
    toast('good', `Sent to ${sent.to}`, handoffHref(sent.id));
  };
  return (
    <Dialog title="New handoff" close={close}>
      <form onSubmit={onSubmit((form) => run(() => send(form)))}>
        <div class="two">
          <Field name="from" label="From" placeholder="@me" required />
          <Field name="to" label="To" placeholder="@you" required />
        </div>
        <Field name="title" label="Title" placeholder="What it is about" />
        <label>
          Input (words or JSON)
          <textarea name="input" rows={4} spellcheck={false} placeholder="What has to be done" />
        </label>
        <details>
          <summary>Terms: deliverables, criteria, verifiers, dependencies</summary>
          <div class="two">
            <Field name="task" label="Task" placeholder="TASK-1" />
            <label>
              Priority
              <select name="priority">
                <Options of={['normal', 'urgent', 'high', 'low']} />
              </select>
            </label>
          </div>
          <Lines name="deliverables" label="Deliverables, one in a line" />
          <Lines name="criteria" label="Criteria, one in a line" />
          <div class="two">
            <Lines name="verifiers" label="Verifiers, one in a line" />
            <Lines name="dependsOn" label="Waits for (ids), one in a line" />
          </div>
        </details>
        <ProblemText text={problem} />
        <FormButtons submit="Send" close={close} isBusy={isBusy} />
      </form>
    </Dialog>
  );
}

function Lines({ name, label }: { readonly name: string; readonly label: string }): VNode {
  return (
    <label>
      {label}
      <textarea name={name} rows={2} spellcheck={false} />
    </label>
  );
}
