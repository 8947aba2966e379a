/** Makes the rules of the house out of the configuration that is in force, and follows it when it changes. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { EvidenceChecker } from '../engine/evidence-checker.ts';
import { NO_RULES, type AgentKey, type WorkspaceRules } from '../engine/context.ts';
import { withTaskEffects } from '../engine/tasks/task-effects.ts';
import { notificationRules } from '../adapters/notifications/notification-rules.ts';
import { sendersFor } from '../adapters/notifications/senders.ts';
import type { Configuration } from '../workspace/configuration-values.ts';
import type { EvidenceCheckerOptions } from '../adapters/evidence/finding.ts';
import type { Store } from '../stores/store.ts';
import { openSchemaRegistry } from '../adapters/schemas/open-schema-registry.ts';
import { openRegisteredSchemas, type SchemaRegister } from '../adapters/schemas/registered-schemas.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What follows from a configuration alone. */
type PolicyRules = Pick<WorkspaceRules, 'notificationsFor' | 'verifiers' | 'terms' | 'chiefs'>;

/** Where there is no workspace (a database and nothing else), there are no schemas and nothing to look at as evidence. */
export function workspaceRules(
  workspace: Workspace | null,
  now: () => Configuration,
  refresh: WorkspaceRules['refresh'],
  store: Pick<Store, 'load' | 'facts'>,
  policy: (SchemaRegister & { readonly version: number; readonly keys: readonly AgentKey[] }) | null = null,
): WorkspaceRules {
  let made: { readonly from: Configuration; readonly rules: PolicyRules } | null = null;
  const current = (): PolicyRules => {
    const from = now();
    if (made?.from !== from) made = { from, rules: policyRulesOf(from) };
    return made.rules;
  };
  return {
    notificationsFor: (handoff, fact) => current().notificationsFor(handoff, fact),
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
    get retentionMs() {
      return now().retention.ageMs;
    },
    get chiefs() {
      return current().chiefs;
    },
    get missingSchema() {
      return now().missingSchema;
    },
    schemas: workspace === null ? null : openSchemaRegistry(join(workspace.folder, 'schemas')),
    registered: policy === null ? null : openRegisteredSchemas(policy),
    evidence: workspace === null ? NO_RULES.evidence : deskWhenNeeded(evidenceRulesOf(workspace, now, store)),
    get chainBudget() {
      return now().chainBudget;
    },
    get requiredAssurance() {
      return now().requiredAssurance;
    },
    get policyVersion() {
      return policy?.version ?? 0;
    },
    keys: () => policy?.keys ?? [],
    fileRights: () => (now().identity === 'strict' ? { anybody: false, agent: now().queueAs } : NO_RULES.fileRights()),
    effectSenders: sendersFor(() => now().notifications, refresh),
    // The house puts these in when it stands.
    queue: null,
    artifacts: null,
    archive: null,
    tasks: null,
    documents: null,
    refresh,
  };
}

function policyRulesOf(configuration: Configuration): PolicyRules {
  const { roles, verifiers, queueTerms, documentTerms, notifications, tasks } = configuration;
  const announce = notificationRules(notifications);
  return {
    notificationsFor: tasks === null ? announce : withTaskEffects(announce),
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
): EvidenceCheckerOptions {
  return {
    folder: workspace.folder,
    store,
    openSandbox: async () => {
      const { sandboxForCommands } = await import('../adapters/evidence/sandbox-for-commands.ts');
      return sandboxForCommands(workspace, now().shadow);
    },
    get commands() {
      return now().evidence.commands;
    },
    get isStrict() {
      return now().identity === 'strict';
    },
    get commandTimeoutMs() {
      return now().evidence.timeoutMs;
    },
  };
}

/** Few commands look at evidence, and every command has to start. */
function deskWhenNeeded(options: EvidenceCheckerOptions): EvidenceChecker {
  let opening: Promise<EvidenceChecker> | null = null;
  const opened = async (): Promise<EvidenceChecker> => {
    opening ??= import('../adapters/evidence/open-evidence-checker.ts').then(
      ({ openEvidenceChecker: openEvidenceDesk }) => openEvidenceDesk(options),
    );
    return opening;
  };
  return {
    where: `${hostname()}:${options.folder}`,
    collect: async (asked, handoff, signal) => (await opened()).collect(asked, handoff, signal),
    check: async (claims, handoff, signal) => (await opened()).check(claims, handoff, signal),
    show: async (claims, handoff, signal) => (await opened()).show(claims, handoff, signal),
  };
}
