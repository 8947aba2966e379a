/** Makes the rules of the house out of the configuration. */
import { join } from 'node:path';
import type { EvidenceDesk } from '../engine/evidence-desk.ts';
import { NO_RULES, type HouseRules } from '../engine/surroundings.ts';
import { withTaskEffects } from '../engine/tasks/task-effects.ts';
import { announcementsBy } from './announcements.ts';
import { carriersBy } from './carriers/carriers.ts';
import type { Configuration } from './configuration-values.ts';
import type { EvidenceDeskOptions } from './evidence/open-evidence-desk.ts';
import { openSchemaBook } from './schema-book.ts';
import type { Workspace } from './workspace.ts';

/** Where there is no workspace (a database and nothing else), only inboxes are kept. */
export function rulesOf(workspace: Workspace | null, configuration: Configuration | null): HouseRules {
  const announce = announcementsBy(configuration?.notifications ?? { desktop: false, webhooks: [], allowHosts: [] });
  if (workspace === null || configuration === null) return { ...NO_RULES, announce };
  const { roles, schemas, parties, verifiers, queueTerms, documentTerms, evidence, notifications } = configuration;
  return {
    announce: configuration.tasks === null ? announce : withTaskEffects(announce),
    rolesOf: (agent) => roles.get(agent) ?? NO_RULES.rolesOf(agent),
    schemasOf: (agent) => schemas.get(agent) ?? NO_RULES.schemasOf(agent),
    partyOf: (agent) => parties.get(agent) ?? NO_RULES.partyOf(agent),
    verifiers,
    terms: {
      ...(Object.keys(queueTerms).length === 0 ? {} : { queue: queueTerms }),
      document: { ...documentTerms, verifiers },
    },
    secrets: configuration.secrets,
    schemas: openSchemaBook(join(workspace.folder, 'schemas')),
    desk: deskWhenNeeded({
      folder: workspace.folder,
      commands: evidence.commands,
      commandTimeoutMs: evidence.timeoutMs,
    }),
    carriers: carriersBy(notifications),
    // The house puts these in when it stands.
    queue: null,
    artifacts: null,
    chiefs: [...roles].flatMap(([agent, has]) => (has.includes('chief') ? [agent] : [])),
    tasks: null,
    documents: null,
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
