/** The library's part about artifacts. */
import type { Json, JsonObject } from '../foundation/json.ts';
import { HANDOFF_ID_RULE, readArtifactId, type ArtifactId } from '../domain/names.ts';
import { principalText, type Principal } from '../domain/principal.ts';
import { entryOf } from '../dialects/artifact/card.ts';
import { freeAwaiting } from '../engine/artifacts/awaited.ts';
import { findArtifacts, showArtifact } from '../engine/artifacts/look.ts';
import { register } from '../engine/artifacts/register.ts';
import { refreshRegistry } from '../engine/artifacts/registry.ts';
import type { Surroundings } from '../engine/surroundings.ts';
import { wordingOf } from '../faces/shared/wording.ts';
import type { ArtifactFolder } from '../folders/folder.ts';
import type { ArtifactEntry, Baton } from './baton.ts';
import { BatonRefusal } from './baton-errors.ts';
import { agentIn } from './baton-requests.ts';
import type { Scope } from './identity.ts';

export function artifactsOf(
  around: Surroundings,
  asking: (scope: Scope) => Promise<Principal>,
): Pick<Baton, 'artifact' | 'findArtifacts' | 'registerArtifact'> {
  return {
    artifact: async (id) => {
      const found = await showArtifact(around, await asking('read'), folderOf(around), artifactIn(id));
      if (found === null) return null;
      const { card, file, changed, dependents } = found;
      return { ...viewOf(entryOf(card)), content: contentIn(file), changed, dependents };
    },
    findArtifacts: async ({ agent, ...filter } = {}) => {
      const principal = await asking('read');
      const asked = { ...filter, ...(agent === undefined ? {} : { agent: agentIn(agent, 'agent') }) };
      return (await findArtifacts(around, principal, folderOf(around), asked)).map((card) => viewOf(entryOf(card)));
    },
    registerArtifact: async (path, { schema, supersedes } = {}) => {
      const principal = await asking('write');
      if (principal.kind !== 'operator') {
        throw new BatonRefusal('not-yours', `the operator registers artifacts, and not ${principalText(principal)}`);
      }
      const folder = folderOf(around);
      const registered = await register(around, folder, {
        path,
        ...(schema === undefined ? {} : { schema }),
        ...(supersedes === undefined ? {} : { supersedes: supersedes.map(artifactIn) }),
      });
      await refreshRegistry(folder);
      if (!registered.ok) {
        const { code, ...details } = registered.refusal;
        throw new BatonRefusal(code, wordingOf(registered.refusal), details);
      }
      await freeAwaiting(around, folder);
      return viewOf(entryOf(registered.value));
    },
  };
}

function artifactIn(text: string): ArtifactId {
  const id = readArtifactId(text);
  if (id !== null) return id;
  throw new BatonRefusal('bad-request', `artifact ${JSON.stringify(text)}: ${HANDOFF_ID_RULE}`);
}

function folderOf({ rules }: Surroundings): ArtifactFolder {
  if (rules.artifacts !== null) return rules.artifacts;
  throw new BatonRefusal('no-workspace', 'artifacts lie in a workspace, and there is none here');
}

/** Written by `entryOf`, in these words. */
function viewOf(entry: JsonObject): ArtifactEntry {
  return entry as unknown as ArtifactEntry;
}

function contentIn(file: Json): Json {
  return typeof file === 'object' && file !== null && 'content' in file ? (file['content'] ?? null) : null;
}
