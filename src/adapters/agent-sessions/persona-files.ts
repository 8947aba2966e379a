/** Personas and handoff documents below `data/personas/`, in the workspace and nowhere else. */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { hexDigestOf } from '../../foundation/digest.ts';
import { isWithin } from '../../foundation/path-within.ts';
import type { AgentId } from '../../domain/names.ts';
import type { DocumentStatus, PersonaFiles } from '../../engine/succession/agent-runtime.ts';
import { agentFolder, putFile } from '../../agents/journal/journal-lines.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { gitStateOf } from './git-state.ts';

/** Longer than any handoff that a successor could read. */
const DOCUMENT_MAX = 1_024 * 1_024;
const PERSONA_FILE_MAX = 256 * 1_024;

export function personaFilesIn({ folder, privateFolder }: Workspace): PersonaFiles {
  const personaFolder = (persona: AgentId): string => join(folder, 'data', 'personas', persona);
  return {
    persona: async (persona) => {
      const read = (name: string): string | null => textIn(join(personaFolder(persona), name));
      const skill = read('skill.md');
      if (skill === null) return null;
      return { skill, guardrails: read('guardrails.md'), experience: read('experience.md') };
    },
    documentFolder: async (persona) => {
      const place = join(personaFolder(persona), 'handoffs');
      mkdirSync(place, { recursive: true });
      const real = realpathSync(place);
      if (!isWithin(real, realpathSync(folder))) throw new Error(`${place} leads out of the workspace`);
      return real;
    },
    privateFolder: async (agent) => {
      const place = agentFolder(privateFolder, agent);
      mkdirSync(place, { recursive: true, mode: 0o700 });
      return realpathSync(place);
    },
    write: async (path, text) => putFile(dirname(path), basename(path), text),
    documentStatus: async (path) => sightOf(path),
    read: async (path) => {
      const bytes = readPlain(path);
      return { text: bytes.toString('utf8'), sha256: hexDigestOf(bytes) };
    },
    git: gitStateOf,
    exists: (cwd, path) => existsSync(resolve(cwd, path)),
  };
}

function sightOf(path: string): DocumentStatus {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { kind: 'absent' };
  if (!stat.isFile() || stat.nlink > 1) return { kind: 'refused', says: 'is a link or no plain file' };
  if (stat.size > DOCUMENT_MAX) return { kind: 'refused', says: `is larger than ${DOCUMENT_MAX} bytes` };
  const mark = `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
  return { kind: 'file', size: stat.size, modifiedAt: stat.mtimeMs, mark };
}

/** No link is followed and no pipe is waited for, whatever has taken the file's place since it was looked at. */
function readPlain(path: string): Buffer {
  const handle = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile() || stat.size > DOCUMENT_MAX) throw new Error(`${path} is no plain file of a sensible size`);
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

function textIn(path: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile() || stat.size > PERSONA_FILE_MAX) return null;
  const text = readFileSync(path, 'utf8');
  return text.trim() === '' ? null : text;
}
