/** Imports summaries, transcripts, and handoffs in other forms. */
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { messageOf } from '../../../src/foundation/error-message.ts';
import { postJson, type IngestedAnswer } from '../api.ts';
import { Field, onSubmit } from './forms.tsx';
import { handoffHref } from '../location.ts';

type Answer = IngestedAnswer['blocks'][number];

interface Imported {
  readonly name: string;
  readonly answers: readonly Answer[];
  readonly problem: string | null;
}

interface Source {
  readonly name: string;
  readonly text: () => Promise<string>;
}

const FATES: Readonly<Record<string, string>> = {
  ready: 'would be imported',
  known: 'imported before',
  invalid: 'cannot be read',
  nothing: 'no handoff',
};
const KINDS = '.md,.markdown,.txt,.json,.yaml,.yml,.jsonl';
/** The limit of the server. Checked here too, because a browser sends the whole file before it reads the refusal. */
const CHARACTERS_MAX = 1_000_000;
const PASTED = 'pasted.md';

export function Import(): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [files, setFiles] = useState<readonly File[]>([]);
  const [done, setDone] = useState<readonly Imported[]>([]);
  const [busy, setBusy] = useState(false);
  /** The preview was shown, so the next submit imports. */
  const [isSeen, setSeen] = useState(false);

  const bring = async (form: HTMLFormElement, preview: boolean): Promise<void> => {
    const given = new FormData(form);
    const said = (key: string): string => {
      const value = given.get(key);
      return typeof value === 'string' ? value : '';
    };
    const [text, project] = [said('text'), said('project').trim()];
    const pasted: Source = { name: said('name').trim() || PASTED, text: async () => text };
    const sources: readonly Source[] = [
      ...(text.trim() === '' ? [] : [pasted]),
      ...files.map((file) => ({ name: file.name, text: () => textOf(file) })),
    ];
    setBusy(true);
    setDone([]);
    // In order: a later text may refer to a handoff that an earlier one made.
    for (const source of sources) {
      const imported = await importOne(source, project, preview);
      setDone((before) => [...before, imported]);
    }
    setBusy(false);
    setSeen(preview);
  };

  const ready = done.flatMap(({ answers }) => answers).filter(({ fate }) => fate === 'ready').length;
  return (
    <>
      <button type="button" class="wide-only" onClick={() => dialog.current?.showModal()}>
        Import
      </button>
      <dialog ref={dialog} class="import" aria-labelledby="import">
        <form
          method="dialog"
          onSubmit={onSubmit((form) => void bring(form, !isSeen))}
          onInput={() => setSeen(false)}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault();
            setFiles([...files, ...(event.dataTransfer?.files ?? [])]);
            setSeen(false);
          }}
        >
          <h2 id="import">Import</h2>
          <p class="note">
            Summaries with handoff blocks, transcripts, and handoffs in other forms. First you see what would be taken;
            nothing is taken twice, whatever its file is called.
          </p>
          <label>
            Text
            <textarea name="text" rows={6} spellcheck={false} placeholder="Paste it here, or drop files anywhere" />
          </label>
          <div class="two">
            <Field name="name" label="Name of the text" placeholder={PASTED} />
            <label>
              Project
              <input name="project" maxLength={200} autocomplete="off" />
            </label>
          </div>
          <label>
            Files
            <input
              type="file"
              multiple
              accept={KINDS}
              onChange={(event) => setFiles([...(event.currentTarget.files ?? [])])}
            />
          </label>
          {files.length === 0 ? null : <p class="note">{files.map(({ name }) => name).join(', ')}</p>}
          <div role="status">
            {done.map((imported, nth) => (
              <Answers key={nth} {...imported} />
            ))}
          </div>
          <div class="buttons">
            <button type="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
            <button type="submit" class="primary" disabled={busy || (isSeen && ready === 0)}>
              {busy ? 'Reading…' : isSeen ? `Take ${ready}` : 'Preview'}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}

async function importOne({ name, text }: Source, project: string, preview: boolean): Promise<Imported> {
  try {
    const content = await text();
    const file = nameOf(content, name);
    const body = { text: content, file, preview, ...(project === '' ? {} : { project }) };
    const { blocks } = await postJson<IngestedAnswer>('/api/summaries', body);
    return { name, answers: blocks, problem: blocks.length === 0 ? 'it contains no handoff' : null };
  } catch (error) {
    return { name, answers: [], problem: messageOf(error) };
  }
}

/** Named after the content, so that the same text under another name is imported once. The extension stays. */
function nameOf(content: string, name: string): string {
  const kind = /\.[a-z]{1,8}$/i.exec(name)?.[0].toLowerCase() ?? '.md';
  return `imported-${content.length}-${hashOf(content, 1)}${hashOf(content, 2)}${kind}`;
}

/** FNV-1a: tells texts apart; it is no proof against forgery. */
function hashOf(text: string, seed: number): string {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193 + 2 * seed);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

async function textOf(file: File): Promise<string> {
  const text = file.size > 4 * CHARACTERS_MAX ? null : await file.text();
  if (text !== null && text.length <= CHARACTERS_MAX) return text;
  throw new Error('it is larger than what is read here; use baton ingest');
}

function Answers({ name, answers, problem }: Imported): VNode {
  return (
    <section class="imported">
      <h3>{name}</h3>
      {problem === null ? null : <p class="problem">{problem}</p>}
      <ul>
        {answers.map((answer, nth) => (
          <li key={nth} data-fate={answer.fate}>
            Line {answer.line}: <strong>{answer.ingested?.did ?? FATES[answer.fate] ?? answer.fate}</strong>{' '}
            {answer.from === null ? null : `@${answer.from}`}
            {answer.to === null ? null : ` → @${answer.to}`}{' '}
            {answer.ingested === undefined ? null : (
              <a href={handoffHref(answer.ingested.leg)}>{answer.ingested.leg}</a>
            )}
            <Remarks answer={answer} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Remarks({ answer }: { readonly answer: Answer }): VNode | null {
  const { refusal, says, ingested, problems, warnings } = answer;
  const remarks = [
    ...(refusal === undefined ? [] : [refusal.detail]),
    ...(says === undefined ? [] : [says]),
    ...(ingested?.says ?? []),
    ...[...problems, ...warnings].map(
      ({ line, column, field, says: about }) => `${line}:${column} ${field === '' ? '' : `${field}: `}${about}`,
    ),
  ];
  if (remarks.length === 0) return null;
  return (
    <ul class="remarks">
      {remarks.map((remark, nth) => (
        <li key={nth}>{remark}</li>
      ))}
    </ul>
  );
}
