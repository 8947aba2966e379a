/** Parts that several forms share. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { PRIORITIES } from '../../../src/domain/priority.ts';
import { messageOf } from '../../../src/foundation/error-message.ts';

/** The trimmed texts of a form, by the names of its fields. */
export function textsIn(form: HTMLFormElement): Readonly<Record<string, string>> {
  const entries = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value.trim()] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** The texts of the fields that were filled in. */
export function filledIn(form: HTMLFormElement): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(textsIn(form)).filter(([, text]) => text !== ''));
}

/** The lines of a text, trimmed, each once, without empty ones. */
export function linesIn(text: string): readonly string[] {
  return [...new Set(text.split('\n').map((line) => line.trim()))].filter((line) => line !== '');
}

/** A handler for `onSubmit`: the browser does not send the form itself. */
export function onSubmit(act: (form: HTMLFormElement) => void): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    act(event.currentTarget as HTMLFormElement);
  };
}

/** Text without quotes is text; what looks like JSON has to be JSON. */
export function jsonOrText(text: string): unknown {
  if (!/^\s*[[{"]/.test(text) && !/^\s*(?:-?\d[\d.eE+-]*|true|false|null)\s*$/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Error(`This is not JSON: ${messageOf(cause)}`, { cause });
  }
}

/** Sends one request at a time. */
export function useRequest() {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = (request: () => Promise<unknown>): void => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    request()
      .catch((error: unknown) => setProblem(messageOf(error)))
      .finally(() => setBusy(false));
  };
  return {
    isBusy,
    /** Why the last request failed. */
    problem,
    setProblem,
    /** Does nothing while another request runs. */
    run,
  };
}

export function ProblemText({ text }: { readonly text: string | null }): VNode | null {
  if (text === null) return null;
  return (
    <p class="problem pre" role="alert">
      {text}
    </p>
  );
}

interface FormButtonsProps {
  readonly submit: string;
  readonly close: () => void;
  readonly isBusy?: boolean;
}

export function FormButtons({ submit, close, isBusy = false }: FormButtonsProps): VNode {
  return (
    <div class="buttons">
      <button type="button" onClick={close}>
        Back
      </button>
      <button type="submit" class="primary" disabled={isBusy}>
        {submit}
      </button>
    </div>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly required?: boolean;
}

export function Field({ label, ...input }: FieldProps): VNode {
  return (
    <label>
      {label}
      <input {...input} autocomplete="off" />
    </label>
  );
}

/** For a `select` that may leave the priority as it is. */
export const OTHER_PRIORITIES = ['', ...PRIORITIES];

export function Options({ of }: { readonly of: readonly string[] }): VNode {
  return (
    <>
      {of.map((each) => (
        <option key={each} value={each}>
          {each === '' ? 'unchanged' : each}
        </option>
      ))}
    </>
  );
}
