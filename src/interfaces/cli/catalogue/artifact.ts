/** Artifacts. */
import { cleanArtifacts, findArtifacts, registerArtifact, showArtifact } from '../../../operations/artifact.ts';
import type { CommandEntry } from './entry.ts';
import { commandOf } from './command-of.ts';

export const ARTIFACT_COMMANDS: readonly CommandEntry[] = [
  commandOf(registerArtifact, {
    takes: '[file...]',
    summary: 'register files below artifacts/; prints their ids',
    options: [['--all', 'register every artifact below artifacts/']],
    load: async () => (await import('../commands/artifact.ts')).registerArtifacts,
  }),
  commandOf(showArtifact),
  commandOf(findArtifacts),
  commandOf(cleanArtifacts),
];
