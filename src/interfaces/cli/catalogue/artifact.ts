/** Artifacts. */
import { cleanArtifacts, findArtifacts, registerArtifact, showArtifact } from '../../../operations/artifact.ts';
import type { CommandEntry } from './entry.ts';
import { commandOf } from './operations.ts';

export const ARTIFACT_COMMANDS: readonly CommandEntry[] = [
  commandOf(registerArtifact, {
    takes: '[file...]',
    summary: 'bring files below artifacts/ into the registry; prints their ids',
    options: [['--all', 'every file below artifacts/ that is an artifact']],
    load: async () => (await import('../commands/artifact.ts')).registerArtifacts,
  }),
  commandOf(showArtifact),
  commandOf(findArtifacts),
  commandOf(cleanArtifacts),
];
