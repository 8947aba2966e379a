/** Brings in what others wrote: summaries, transcripts, and handoffs in whatever form they lie around. */
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { tell } from '../api.ts';
import { handoffHref } from '../where.ts';

/** As `POST /api/summaries` answers for each block, or for each handoff of another form. */
interface Answer {
  readonly line: number;
  readonly fate: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly problems: readonly Remark[];
  readonly warnings: readonly Remark[];
  readonly ingested?: { readonly did: string; readonly leg: string; readonly says: readonly string[] };
  readonly refusal?: { readonly detail: string };
  readonly says?: string;
}

interface Remark {
  readonly line: number;
  readonly column: number;
  readonly field: string;
  readonly says: string;
}

interface Imported {
  readonly name: string;
  readonly answers: readonly Answer[];
  readonly problem: string | null;
}

interface Source {
  readonly name: string;
  readonly text: () => Promise<string>;
}

const KINDS = '.md,.markdown,.txt,.json,.yaml,.yml,.jsonl';
/** What the server takes at once; said here, because a browser would send a film first and hear of it afterwards. */
const CHARACTERS_MAX = 1_000_000;
const PASTED = 'pasted.md';

export function Import(): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [files, setFiles] = useState<readonly File[]>([]);
  const [done, setDone] = useState<readonly Imported[]>([]);
  const [busy, setBusy] = useState(false);

  const bring = async (form: HTMLFormElement): Promise<void> => {
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
    // One after the other: what a later one says may be about what an earlier one began.
    for (const source of sources) {
      const imported = await importOne(source, project);
      setDone((before) => [...before, imported]);
    }
    setBusy(false);
  };

  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        Import
      </button>
      <dialog ref={dialog} class="import" aria-labelledby="import">
        <form
          method="dialog"
          onSubmit={(event) => {
            event.preventDefault();
            void bring(event.currentTarget);
          }}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault();
            setFiles([...files, ...(event.dataTransfer?.files ?? [])]);
          }}
        >
          <h2 id="import">Import</h2>
          <p class="note">
            Summaries with handoff blocks, transcripts, and handoffs in other forms. What is open is offered to its
            recipient, what is settled is only recorded, and nothing is taken twice.
          </p>
          <label>
            Text
            <textarea name="text" rows={6} spellcheck={false} placeholder="Paste it here, or drop files anywhere" />
          </label>
          <div class="two">
            <label>
              Name of the text
              <input name="name" placeholder={PASTED} autocomplete="off" />
            </label>
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
            <button type="submit" class="primary" disabled={busy}>
              {busy ? 'Reading…' : 'Read'}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}

async function importOne({ name, text }: Source, project: string): Promise<Imported> {
  try {
    const body = { text: await text(), file: name, ...(project === '' ? {} : { project }) };
    const { blocks } = await tell<{ readonly blocks: readonly Answer[] }>('/api/summaries', body);
    return { name, answers: blocks, problem: blocks.length === 0 ? 'nothing is handed over in it' : null };
  } catch (error) {
    return { name, answers: [], problem: error instanceof Error ? error.message : String(error) };
  }
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
            Line {answer.line}: <strong>{answer.ingested?.did ?? answer.fate}</strong>{' '}
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
