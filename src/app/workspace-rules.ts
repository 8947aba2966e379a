/** Derives the rules of the workspace from the configuration in force, and follows its changes. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { lazyMethods, once } from '../foundation/lazy-methods.ts';
import type { EvidenceChecker } from '../engine/evidence-checker.ts';
import { NO_RULES, type AgentKey, type WorkspaceRules } from '../engine/context.ts';
import { withTaskEffects } from '../engine/tasks/task-effects.ts';
import { notificationRules } from '../adapters/notifications/notification-rules.ts';
import { sendersFor } from '../adapters/notifications/senders.ts';
import type { Configuration } from '../workspace/configuration-values.ts';
import type { EvidenceCheckerOptions } from '../adapters/evidence/evidence-finding.ts';
import type { Store } from '../stores/store.ts';
import { openSchemaRegistry } from '../adapters/schemas/open-schema-registry.ts';
import { openRegisteredSchemas, type SchemaRegister } from '../adapters/schemas/registered-schemas.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What follows from a configuration alone. */
type PolicyRules = Pick<WorkspaceRules, 'notificationsFor' | 'verifiers' | 'terms' | 'chiefs'>;

/** Without a workspace (a database and nothing else) there are no schemas, and evidence cannot be checked. */
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
    evidence: workspace === null ? NO_RULES.evidence : lazyEvidenceChecker(evidenceRulesOf(workspace, now, store)),
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
    // `openApp` sets these.
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

function lazyEvidenceChecker(options: EvidenceCheckerOptions): EvidenceChecker {
  const checker = once(async () => {
    const { openEvidenceChecker } = await import('../adapters/evidence/open-evidence-checker.ts');
    return openEvidenceChecker(options);
  });
  return {
    // Asked for by few commands, and `node:os` is loaded with the first question.
    get where() {
      return `${hostname()}:${options.folder}`;
    },
    ...lazyMethods(checker, ['collect', 'check', 'show']),
  };
}
