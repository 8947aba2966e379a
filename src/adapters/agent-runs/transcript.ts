/** What an agent's program printed in one attempt, kept below `artifacts/` and registered there. */
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Handoff } from '../../domain/handoff.ts';
import { refreshRegistry } from '../../engine/artifacts/registry.ts';
import { register } from '../../engine/artifacts/register.ts';
import { mayHoldSecret, scanText } from '../../engine/secrets/scan.ts';
import type { Context } from '../../engine/context.ts';
import { isRealFolder, putArtifact } from '../../folders/artifact-file.ts';
import type { Workspace } from '../../workspace/workspace.ts';

export interface Transcript {
  write(text: string): void;
  /** Registers it; the artifact's id, or null where it could not be kept. */
  close(session: string | null): Promise<string | null>;
}

const NO_TRANSCRIPT: Transcript = { write: () => undefined, close: async () => null };

/** What is printed beyond this is dropped from the transcript, never from the work. */
const BYTES_MAX = 64 * 1024 * 1024;
/** A link at this place could lead out of the workspace. Windows has no such flag. */
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
const FOLDER = 'artifacts/agent-runs';

export function openTranscript(
  ctx: Context,
  workspace: Workspace | null,
  handoff: Handoff,
  vendor: string,
): Transcript {
  const { artifacts, secrets } = ctx.rules;
  if (workspace === null || artifacts === null) return NO_TRANSCRIPT;
  const id = `transcript-${handoff.id}-${handoff.attempt}-${vendor}`;
  const lines = `${FOLDER}/${id}.jsonl`;
  const folders = [join(workspace.folder, 'artifacts'), join(workspace.folder, FOLDER)];
  if (!folders.every(isRealFolder)) return NO_TRANSCRIPT;
  const file = openSync(join(workspace.folder, lines), NEW_FILE, 0o600);
  let bytes = 0;
  let rest = '';
  const keep = (text: string): void => {
    const clean = secrets === 'off' || !mayHoldSecret(text) ? text : scanText(text, 'transcript').redacted;
    const chunk = Buffer.from(clean);
    bytes += chunk.length;
    if (bytes <= BYTES_MAX) writeSync(file, chunk);
  };
  return {
    // By whole lines: a secret that came in two pieces is one secret.
    write: (text) => {
      const end = (rest + text).lastIndexOf('\n') + 1;
      const whole = (rest + text).slice(0, end);
      rest = (rest + text).slice(end);
      if (whole !== '') keep(whole);
    },
    close: async (session) => {
      if (rest !== '') keep(`${rest}\n`);
      closeSync(file);
      const card = {
        artifact_id: id,
        artifact_type: 'agent-transcript',
        metadata: { agent_id: handoff.to, handoff_id: handoff.id },
        content: { vendor, session, files: [lines] },
        validation: { status: 'passed' },
      };
      const path = `${FOLDER}/${id}.json`;
      await artifacts.remove(path);
      const put = await putArtifact(workspace.folder, path, `${JSON.stringify(card, null, 2)}\n`, () => true);
      if (put === false) return null;
      await put.onDisk;
      const entered = await register(ctx, artifacts, { path });
      await refreshRegistry(artifacts);
      return entered.ok ? id : null;
    },
  };
}
