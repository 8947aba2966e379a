/** A workspace in a repository, with an honest sender, doer and verifier, and hands that lie. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import type { Result } from '../../src/foundation/result.ts';
import { assuranceOf } from '../../src/domain/assurance.ts';
import type { Handoff, Terms } from '../../src/domain/handoff.ts';
import { readAgentId, type AgentId, type HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal, OPERATOR, provenWith, type Principal } from '../../src/domain/principal.ts';
import type { Context } from '../../src/engine/context.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { send, type SendRequest } from '../../src/engine/handoffs/send.ts';
import { verify } from '../../src/engine/handoffs/verify.ts';
import { openWorkspace } from '../../src/app/open-workspace.ts';
import type { OpenWorkspace } from '../../src/workspace/opened-workspace.ts';
import { tempFolder } from '../support/processes.ts';
import { putDatabase } from '../support/sqlite-with-tables.ts';

export const named = (name: string): AgentId => present(readAgentId(name), `${name} is a name`);
/** Only the word of somebody at this machine. */
export const local = (name: string): Principal => agentPrincipal(named(name));
/** Shows a token, as everybody does over HTTP. */
export const proven = (name: string): Principal => provenWith(agentPrincipal(named(name)), `tok-${name}`);
/** Shows a token on a machine where everybody is believed. */
export const byUser = (name: string, user: string): Principal => ({ ...proven(name), user }) as Principal;
export const PROVEN_OPERATOR = provenWith(OPERATOR, 'tok-operator');

export interface Shown {
  readonly deliverable?: string;
  readonly kind: 'file' | 'commit' | 'command' | 'url' | 'note';
  readonly value: string;
}

export interface TruthWorld {
  readonly folder: string;
  readonly app: OpenWorkspace;
  readonly ctx: Context;
  readonly write: (path: string, text: string) => void;
  readonly git: (...args: readonly string[]) => string;
  /** From pm to dev, verified by qa, with the deliverable `page`, unless said otherwise. */
  readonly ask: (terms?: Partial<Terms>, more?: Partial<SendRequest>) => Promise<Handoff>;
  readonly take: (handoff: Handoff, by?: Principal) => Promise<Handoff>;
  readonly deliver: (
    handoff: Handoff,
    shown: readonly Shown[],
    by?: Principal,
  ) => Promise<Result<Handoff, { readonly code: string }>>;
  readonly verify: (
    id: HandoffId,
    by?: Principal,
    criteria?: readonly string[],
  ) => Promise<Result<Handoff, { readonly code: string }>>;
}

export const LOCAL = 'evidence: { commands: allow }\n';

export async function truthWorld(configuration: string = LOCAL, folder: string = tempFolder()): Promise<TruthWorld> {
  putDatabase(join(folder, '.baton', 'baton.db'));
  writeFileSync(join(folder, 'baton.yaml'), configuration);
  writeFileSync(join(folder, '.gitignore'), '.baton/\nhandoffs/\nignored.txt\n');
  const git = (...args: readonly string[]): string => gitIn(folder, ...args);
  git('init', '-q', '-b', 'main');
  const app = present(await openWorkspace({ workspace: folder }), 'it is there');
  onTestFinished(async () => app.close());
  const { ctx } = app;
  const take = async (handoff: Handoff, by: Principal = local('dev')): Promise<Handoff> => {
    const taken = await accept(ctx, by, handoff.id, { leaseMs: 60_000 });
    if (!taken.ok) throw new Error(JSON.stringify(taken.refusal));
    return taken.value;
  };
  return {
    folder,
    app,
    ctx,
    git,
    take,
    write: (path, text) => writeFileSync(join(folder, path), text),
    ask: async (terms = {}, more = {}) => {
      const [from, to] = [named('pm'), named('dev')];
      const request = { from, to, input: null, terms: { verifiers: [named('qa')], deliverables: ['page'], ...terms } };
      const sent = await send(ctx, local(more.from ?? 'pm'), { ...request, ...more });
      if (!sent.ok) throw new Error(JSON.stringify(sent.refusal));
      return sent.value;
    },
    deliver: async (handoff, shown, by = local('dev')) => {
      const evidence = shown.map(({ deliverable = 'page', kind, value }) => ({ deliverable, kind, value }));
      const { fence } = await take(handoff);
      return deliver(ctx, by, { target: handoff.id, fence, result: null, evidence });
    },
    verify: (id, by = proven('qa'), criteria = []) =>
      verify(ctx, by, { id, criteria: criteria.map((criterion) => ({ criterion, says: 'looked' })) }),
  };
}

function gitIn(folder: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=A Person', '-c', 'user.email=person@example.org', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...who, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** `completed verified`, `delivered`, `refused evidence-false`. */
export function answerOf(result: Result<Handoff, { readonly code: string }>): string {
  if (!result.ok) return `refused ${result.refusal.code}`;
  return [result.value.state, assuranceOf(result.value)].filter((part) => part !== null).join(' ');
}

/** One attempt to make something look better proven than it is, and what has to come of it. */
export interface Attempt {
  readonly lie: string;
  readonly through: string;
  readonly answer: string;
  readonly attempt: () => Promise<string>;
}
