/** Makes the rules of the house out of the configuration that is in force, and follows it when it changes. */
import { join } from 'node:path';
import type { EvidenceDesk } from '../engine/evidence-desk.ts';
import { NO_RULES, type HouseRules } from '../engine/surroundings.ts';
import { withTaskEffects } from '../engine/tasks/task-effects.ts';
import { announcementsBy } from './announcements.ts';
import { carriersBy } from './carriers/carriers.ts';
import type { Configuration } from './configuration-values.ts';
import type { EvidenceDeskOptions } from './evidence/open-evidence-desk.ts';
import type { Store } from '../stores/store.ts';
import { openSchemaBook } from './schema-book.ts';
import type { Workspace } from './workspace.ts';

/** What follows from a configuration alone. */
type PolicyRules = Pick<HouseRules, 'announce' | 'verifiers' | 'terms' | 'chiefs'>;

/** Where there is no workspace (a database and nothing else), there are no schemas and nothing to look at as evidence. */
export function rulesOf(
  workspace: Workspace | null,
  now: () => Configuration,
  refresh: HouseRules['refresh'],
  store: Pick<Store, 'load' | 'facts'>,
): HouseRules {
  let made: { readonly from: Configuration; readonly rules: PolicyRules } | null = null;
  const current = (): PolicyRules => {
    const from = now();
    if (made?.from !== from) made = { from, rules: policyRulesOf(from) };
    return made.rules;
  };
  return {
    announce: (handoff, fact) => current().announce(handoff, fact),
    rolesOf: (agent) => now().roles.get(agent) ?? NO_RULES.rolesOf(agent),
    schemasOf: (agent) => now().schemas.get(agent) ?? NO_RULES.schemasOf(agent),
    partyOf: (agent) => now().parties.get(agent) ?? NO_RULES.partyOf(agent),
    get verifiers() {
      return current().verifiers;
    },
    get terms() {
      return current().terms;
    },
    get secrets() {
      return now().secrets;
    },
    get chiefs() {
      return current().chiefs;
    },
    schemas: workspace === null ? null : openSchemaBook(join(workspace.folder, 'schemas')),
    desk: workspace === null ? NO_RULES.desk : deskWhenNeeded(evidenceRulesOf(workspace, now, store)),
    fileRights: () => (now().identity === 'strict' ? { anybody: false, agent: now().queueAs } : NO_RULES.fileRights()),
    carriers: carriersBy(() => now().notifications, refresh),
    // The house puts these in when it stands.
    queue: null,
    artifacts: null,
    tasks: null,
    documents: null,
    refresh,
  };
}

function policyRulesOf(configuration: Configuration): PolicyRules {
  const { roles, verifiers, queueTerms, documentTerms, notifications, tasks } = configuration;
  const announce = announcementsBy(notifications);
  return {
    announce: tasks === null ? announce : withTaskEffects(announce),
    verifiers,
    terms: {
      ...(Object.keys(queueTerms).length === 0 ? {} : { queue: queueTerms }),
      document: { ...documentTerms, verifiers },
    },
    chiefs: [...roles].flatMap(([agent, has]) => (has.includes('chief') ? [agent] : [])),
  };
}

function evidenceRulesOf(
  workspace: Workspace,
  now: () => Configuration,
  store: Pick<Store, 'load' | 'facts'>,
): EvidenceDeskOptions {
  return {
    folder: workspace.folder,
    store,
    openSandbox: async () => {
      const { sandboxForCommands } = await import('./evidence/sandbox-for-commands.ts');
      return sandboxForCommands(workspace, now().shadow);
    },
    get commands() {
      return now().evidence.commands;
    },
    get commandTimeoutMs() {
      return now().evidence.timeoutMs;
    },
  };
}

/** Few commands look at evidence, and every command has to start. */
function deskWhenNeeded(options: EvidenceDeskOptions): EvidenceDesk {
  let opening: Promise<EvidenceDesk> | null = null;
  const opened = async (): Promise<EvidenceDesk> => {
    opening ??= import('./evidence/open-evidence-desk.ts').then(({ openEvidenceDesk }) => openEvidenceDesk(options));
    return opening;
  };
  return {
    collect: async (asked, signal) => (await opened()).collect(asked, signal),
    check: async (claims, signal) => (await opened()).check(claims, signal),
  };
}
