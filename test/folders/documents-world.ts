/** A workspace with documents, in a folder of its own, with or without git; and the hands of people who edit files. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import type { Terms } from '../../src/domain/handoff.ts';
import { readAgentId, type AgentId, type HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal, type Principal } from '../../src/domain/principal.ts';
import { editDocument, type DocumentChanges } from '../../src/formats/document/edit.ts';
import { readDocument, type DocumentValues } from '../../src/formats/document/read.ts';
import type { DocumentMirror, EngineEvent, Context } from '../../src/engine/context.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { activate } from '../../src/engine/handoffs/activate.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { openWorkspace } from '../../src/app/open-workspace.ts';
import { tempFolder } from '../support/processes.ts';
import { putDatabase } from '../support/sqlite-with-tables.ts';

export const ON = 'verifiers: [perplexity]\nfolders: { documents: on }\n';

export interface DocumentsWorld {
  readonly folder: string;
  readonly ctx: Context;
  readonly documents: DocumentMirror;
  readonly events: readonly EngineEvent[];
  /** Where its file is: `active`, `2026/02`; null: nowhere. */
  readonly place: (id: string) => string | null;
  readonly text: (id: string) => string;
  readonly fields: (id: string) => DocumentValues;
  /** Written whole, long ago: nobody is still at it. */
  readonly write: (name: string, text: string, agoMs?: number) => void;
  /** A person changes a few lines. */
  readonly edit: (id: string, changes: DocumentChanges) => void;
  readonly state: (id: string) => Promise<string | null>;
  readonly by: (id: string) => Promise<readonly string[]>;
  readonly create: (terms?: Partial<Terms>) => Promise<HandoffId>;
  /** As far as this state, by the command's own verbs. */
  readonly at: (state: 'draft' | 'offered' | 'accepted' | 'delivered', terms?: Partial<Terms>) => Promise<HandoffId>;
  /** `asked`: as `baton sync` does it; else as whoever works does it beside. */
  readonly sync: (asked?: boolean) => Promise<void>;
  readonly index: () => string;
  readonly git: (...args: readonly string[]) => string;
}

export const agentOf = (name: string): AgentId => present(readAgentId(name), `${name} is a name of an agent`);
export const as = (name: string): Principal => agentPrincipal(agentOf(name));

const DELIVERED = { deliverables: ['code', 'tests'], criteria: ['works'] };

export async function documentsWorld(
  there: string = tempFolder(),
  configuration: string = ON,
  database?: string,
): Promise<DocumentsWorld> {
  const folder = there;
  mkdirSync(join(folder, '.baton'), { recursive: true });
  if (database === undefined) putDatabase(join(folder, '.baton', 'baton.db'));
  if (!existsSync(join(folder, 'baton.yaml'))) writeFileSync(join(folder, 'baton.yaml'), configuration);
  writeFileSync(join(folder, '.baton', '.gitignore'), '*\n');
  writeFileSync(join(folder, 'done.txt'), 'done\n');
  const events: EngineEvent[] = [];
  const app = present(
    await openWorkspace({
      workspace: folder,
      report: (event) => events.push(event),
      ...(database === undefined ? {} : { database: { kind: 'postgres', url: database } as const }),
    }),
    'it is there',
  );
  onTestFinished(async () => app.close());
  const { ctx } = app;
  const documents = present(ctx.rules.documents, 'documents are on');
  const root = join(folder, '_handoffs');
  const place = (id: string): string | null => {
    if (existsSync(join(root, 'active', `${id}.md`))) return 'active';
    const months = existsSync(join(root, 'archived')) ? readdirSync(join(root, 'archived'), { recursive: true }) : [];
    const found = months.map(String).find((name) => name.endsWith(`/${id}.md`));
    return found === undefined ? null : found.slice(0, 7);
  };
  const path = (id: string): string => {
    const where = place(id);
    return join(root, where === 'active' ? 'active' : join('archived', where ?? 'nowhere'), `${id}.md`);
  };
  const text = (id: string): string => readFileSync(path(id), 'utf8');
  const write = (name: string, content: string, agoMs = 10_000): void => {
    mkdirSync(join(root, 'active'), { recursive: true });
    const file = join(root, 'active', name);
    writeFileSync(file, content);
    const then = new Date(Date.now() - agoMs);
    utimesSync(file, then, then);
  };
  const create = async (terms: Partial<Terms> = DELIVERED): Promise<HandoffId> => {
    const [from, to] = [agentOf('grok'), agentOf('claude')];
    const input = { purpose: 'why', context: 'where', meeting: 'meetings/m.md', skill: 'skills/s' };
    const sent = await send(ctx, as('grok'), {
      from,
      to,
      kind: 'document',
      title: 'A thing',
      task: 'BPRD-2026-0042',
      input,
      terms,
    });
    if (!sent.ok) throw new Error(`refused: ${JSON.stringify(sent.refusal)}`);
    return sent.value.id;
  };
  return {
    folder,
    ctx,
    documents,
    events,
    place,
    text,
    write,
    create,
    fields: (id) => readDocument(text(id)).all,
    edit: (id, changes) => write(`${id}.md`, editDocument(text(id), changes)),
    state: async (id) => (await ctx.store.load(id as HandoffId))?.handoff.state ?? null,
    by: async (id) => {
      const facts = await ctx.store.facts({ handoff: id as HandoffId, max: 100 });
      return facts.map(({ fact }) => `${fact.deed} by ${fact.by.replace(/^file:\d+/, 'file')}`);
    },
    at: async (state, terms) => {
      const id = await create(terms);
      const evidence = (terms?.deliverables ?? DELIVERED.deliverables).map((deliverable) => {
        return { deliverable, kind: 'file', value: 'done.txt' } as const;
      });
      const steps = [
        () => activate(ctx, as('grok'), id),
        () => accept(ctx, as('claude'), id, { notes: 'on it' }),
        () => deliver(ctx, as('claude'), { target: id, fence: null, result: null, evidence }),
      ];
      for (const step of steps.slice(0, ['draft', 'offered', 'accepted', 'delivered'].indexOf(state))) {
        const done = await step();
        if (!done.ok) throw new Error(`refused: ${JSON.stringify(done.refusal)}`);
      }
      return id;
    },
    sync: async (asked = false) => {
      await documents.sync('thorough', { asked });
    },
    index: () => readFileSync(join(root, '_index.yaml'), 'utf8'),
    git: (...args) => gitIn(folder, ...args),
  };
}

/** Nobody's own settings, and an author whom facts can name. */
export function gitIn(folder: string, ...args: readonly string[]): string {
  const own = ['-c', 'user.name=Somebody', '-c', 'commit.gpgsign=false', '-c', 'init.defaultBranch=main'];
  const mail = existsSync(join(folder, '.git', 'mail'))
    ? readFileSync(join(folder, '.git', 'mail'), 'utf8')
    : 'a@example.org';
  return execFileSync('git', ['-C', folder, ...own, '-c', `user.email=${mail}`, ...args], {
    encoding: 'utf8',
    env: { ...process.env, GIT_EDITOR: 'true', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export function says(world: DocumentsWorld, kind: EngineEvent['kind']): readonly string[] {
  return world.events.flatMap((event) => (event.kind === kind && 'says' in event ? [event.says] : []));
}
