/** Small components that several pages use. */
import type { ComponentChildren, RefObject, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ASSURANCE_TEXT, type Assurance } from '../../../src/domain/assurance.ts';
import type { Row } from '../api.ts';
import { visible } from '../text.ts';
import { ago, now, span, whole } from '../time.ts';
import { failedDependencyOf, markOf, stateNameOf, toneOf } from '../states.ts';

export function StateTag({ row }: { readonly row: Row }): VNode {
  return (
    <span class={`state ${toneOf(row)}`}>
      <span aria-hidden="true">{markOf(row)}</span> {stateNameOf(row)}
    </span>
  );
}

export function When({ at }: { readonly at: string }): VNode {
  return (
    <time dateTime={at} title={whole(at)}>
      {ago(at, now.value)}
    </time>
  );
}

/** Why the last attempt failed, and when the next one starts. */
export function FailureLine({ row }: { readonly row: Row }): VNode | null {
  const { lastFailure, notBefore, state, attempt, attemptsMax } = row;
  if (lastFailure === undefined || state === 'completed') return null;
  const waitMs = notBefore === undefined ? 0 : new Date(notBefore).getTime() - now.value;
  return (
    <span class="failure">
      <code>{lastFailure.code}</code> {lastFailure.message}
      {state === 'offered' ? (
        <span class="soft">
          {' '}
          attempt {attempt}
          {attemptsMax === undefined ? '' : ` of ${attemptsMax}`} failed; Baton tries again{' '}
          {waitMs > 0 ? `in ${span(waitMs)}` : 'as soon as a worker takes it'}
        </span>
      ) : null}
    </span>
  );
}

/** What the handoff waits for, where only a person can help. */
export function QuestionLine({ row }: { readonly row: Row }): VNode | null {
  const failed = failedDependencyOf(row);
  if (failed !== null) return <span class="asks">{`waits for ${failed}, which did not succeed`}</span>;
  if (row.blockedOn?.reason !== 'question') return null;
  return <span class="asks">{visible(row.blockedOn.text).text}</span>;
}

export function Loading({ rows = 6 }: { readonly rows?: number }): VNode {
  return (
    <div class="loading" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} class="skeleton" />
      ))}
    </div>
  );
}

/** Stands in the place of an answer that is not there yet, or could not be read. */
export function Pending({ error, rows }: { readonly error: Error | null; readonly rows?: number }): VNode {
  return error === null ? <Loading rows={rows ?? 6} /> : <p class="problem">{error.message}</p>;
}

/** A column without a name holds buttons. */
export function TableHead({ names }: { readonly names: readonly string[] }): VNode {
  return (
    <thead>
      <tr>
        {names.map((name) => (
          <th key={name} scope="col">
            {name === '' ? <span class="unseen">Actions</span> : name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** How far a completion is proven, in the same words everywhere. */
export function AssuranceTag({ assurance }: { readonly assurance: Assurance }): VNode {
  return (
    <span class={`tag assurance-${assurance}`} title={ASSURANCE_TEXT[assurance]}>
      {assurance}
    </span>
  );
}

/** Says that invisible characters were removed from a text. */
export function HiddenText({ count }: { readonly count: number }): VNode | null {
  if (count === 0) return null;
  return (
    <p class="hidden-text">
      <span class="tag bad">hidden_text</span> {count} invisible {count === 1 ? 'character was' : 'characters were'}{' '}
      taken out of this text.
    </p>
  );
}

export function CopyId({ id }: { readonly id: string }): VNode {
  const [isCopied, setCopied] = useState(false);
  return (
    <span class="copy">
      <code>{id}</code>
      <button
        type="button"
        class="quiet"
        onClick={() => void navigator.clipboard?.writeText(id).then(() => setCopied(true))}
      >
        {isCopied ? 'Copied' : 'Copy id'}
      </button>
    </span>
  );
}

/** Keeps order and number of the items while the pointer is over the list, so that nobody clicks the wrong row. */
export function useHeldList<Item>(items: readonly Item[], keyOf: (item: Item) => string) {
  const [isHeld, setHeld] = useState(false);
  const kept = useRef(items);
  if (!isHeld) kept.current = items;
  const byKey = new Map(items.map((item) => [keyOf(item), item]));
  const before = new Set(kept.current.map(keyOf));
  return {
    shown: kept.current.map((item) => byKey.get(keyOf(item)) ?? item),
    /** How many new items are not shown yet. */
    changes: items.filter((item) => !before.has(keyOf(item))).length,
    /** `onPointerMove`, not `onPointerEnter`: a list may slide under a resting pointer. */
    hold: { onPointerMove: () => setHeld(true), onPointerLeave: () => setHeld(false) },
  };
}

/** Opens the dialog before the first paint, so that keys typed at once reach it. */
export function useModal(close: () => void): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    dialog?.addEventListener('close', close);
    return () => dialog?.removeEventListener('close', close);
  }, []);
  return ref;
}

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, close, children }: DialogProps): VNode {
  return (
    <dialog ref={useModal(close)} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}
