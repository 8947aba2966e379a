/** Makes a workspace, or completes one: what is there already stays as it is. */
import { existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { OUR_FOLDER_MODE } from '../foundation/file-ownership.ts';
import type { MadeWorkspace, MakeOptions } from '../interfaces/cli/app.ts';
import { databaseOfWorkspace, type DatabaseAddress } from '../workspace/database-address.ts';
import { openPolicy } from '../workspace/policy.ts';
import { SAMPLE_SCHEMAS } from '../workspace/sample-schemas.ts';
import { sampleConfiguration } from '../workspace/templates.ts';
import { makePrivateFolder, workspaceAt, writeOnce } from '../workspace/workspace.ts';
import { openApp } from './open-app.ts';

/** The database is made first: a folder where it cannot be is left without a trace. */
export async function makeWorkspace(
  folder: string,
  { database, template = null }: MakeOptions = {},
): Promise<MadeWorkspace> {
  const workspace = workspaceAt(folder);
  const made = existsSync(workspace.privateFolder) ? [] : ['.baton/'];
  const wasThere = existsSync(workspace.configurationPath);
  const { readConfigurationText } = await import('../workspace/configuration.ts');
  const text = wasThere ? readConfigurationText(workspace.configurationPath) : {};
  const app = await openApp({ database: database ?? databaseOfWorkspace(workspace, text) });
  try {
    // An existing file becomes the first policy now. The sample does not: the first command stores the edited file.
    if (wasThere) await openPolicy(app.ctx.store, text);
  } finally {
    await app.close();
  }
  makePrivateFolder(workspace);
  const named = database === undefined ? null : await nameOf(database);
  if (writeOnce(workspace.configurationPath, sampleConfiguration(basename(workspace.folder), template, named))) {
    made.push('baton.yaml');
  }
  if (template === 'queue') {
    const place = join(workspace.folder, 'schemas');
    mkdirSync(place, { recursive: true, mode: OUR_FOLDER_MODE });
    const shipped = Object.entries(SAMPLE_SCHEMAS).filter(([name, schema]) =>
      writeOnce(join(place, name), `${JSON.stringify(schema, null, 2)}\n`),
    );
    if (shipped.length > 0) made.push('schemas/');
    if (!existsSync(join(workspace.folder, 'handoffs'))) {
      // Programs that only use files can send before a Baton process runs.
      const { openQueueFolder } = await import('../folders/queue-folder.ts');
      await openQueueFolder(workspace).prepare();
      made.push('handoffs/');
    }
  }
  return { folder: workspace.folder, made, database: wasThere && text.database === undefined ? named : null };
}

/** As it may stand in a file that is shared: a password comes from PGPASSWORD. */
async function nameOf(database: DatabaseAddress): Promise<string> {
  if (database.kind === 'sqlite') return database.path;
  const { withoutSecrets } = await import('../stores/postgres/address.ts');
  return withoutSecrets(database.url);
}
