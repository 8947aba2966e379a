/** Makes a workspace, or completes one: what is there already stays as it is. */
import { existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { OUR_FOLDER_MODE } from '../foundation/own-file.ts';
import type { DatabaseAddress } from './database-address.ts';
import { openHouse } from './open-house.ts';
import { SAMPLE_SCHEMAS } from './sample-schemas.ts';
import { makePrivateFolder, workspaceAt, writeOnce } from './workspace.ts';
import { openPolicy } from './workspace-policy.ts';

export interface MadeWorkspace {
  readonly folder: string;
  /** What was not there before. */
  readonly made: readonly string[];
}

/** The database is made first: a folder where it cannot be is left without a trace. */
export async function makeWorkspace(folder: string, database?: DatabaseAddress): Promise<MadeWorkspace> {
  const workspace = workspaceAt(folder);
  const made = existsSync(workspace.privateFolder) ? [] : ['.baton/'];
  const address = database ?? { kind: 'sqlite', path: workspace.databasePath };
  const house = await openHouse({ database: address });
  try {
    // A file that was there before has decided something. The sample has not: the first command stores what it became.
    if (existsSync(workspace.configurationPath)) {
      const { readConfigurationText } = await import('./configuration.ts');
      await openPolicy(house.around.store, readConfigurationText(workspace.configurationPath));
    }
  } finally {
    await house.close();
  }
  makePrivateFolder(workspace);
  if (writeOnce(workspace.configurationPath, sampleConfiguration(basename(workspace.folder)))) made.push('baton.yaml');
  const schemas = join(workspace.folder, 'schemas');
  mkdirSync(schemas, { recursive: true, mode: OUR_FOLDER_MODE });
  const shipped = Object.entries(SAMPLE_SCHEMAS).filter(([name, schema]) =>
    writeOnce(join(schemas, name), `${JSON.stringify(schema, null, 2)}\n`),
  );
  if (shipped.length > 0) made.push('schemas/');
  return { folder: workspace.folder, made };
}

function sampleConfiguration(project: string): string {
  return `# A Baton workspace. Everything here is optional. The first command stores what is shared (limits, roles, verifiers, …)
# in the database; after later changes run: baton apply
project: ${JSON.stringify(project)}

# How much may be open at once. A limit given for an agent counts everything; the one for everybody else counts
# documents only.
# limits: { outgoing: 5, incoming: 10 }
# agents:
#   grok: { roles: [chief], limits: { outgoing: 10, incoming: 5 } }
#   claude: { limits: { outgoing: 5, incoming: 10 } }
#   abacus: { limits: { outgoing: 5, incoming: 10 } }
#   perplexity: { roles: [verifier], limits: { outgoing: 3, incoming: 15 } }
#   gemini: { limits: { outgoing: 5, incoming: 10 } }

# Who says that documents are done; never whoever sent or did the work.
# verifiers: [perplexity]

# Programs that only know files take part through handoffs/pending and its neighbours.
# Documents are markdown in _handoffs/, for agents and people who work through a repository.
# folders: { queue: on, documents: on }

# A worker that has been silent for this long has lost what it holds.
# lease_seconds: 10
`;
}
