/** The library's part about what agents write down. */
import { basename } from 'node:path';
import type { Principal } from '../domain/principal.ts';
import { ingestText, type BlockAnswer, type TextToIngest } from '../engine/verbs/ingest-text.ts';
import { wordingOfIngest } from '../faces/shared/ingest-wording.ts';
import type { Baton, IngestAnswer, IngestOptions } from './baton.ts';
import { BatonRefusal } from './baton-errors.ts';
import type { OpenWorkspace } from './open-workspace.ts';

export function ingestOf(
  { around, configuration, workspace }: OpenWorkspace,
  asking: (as: string | undefined) => Promise<Principal>,
): Pick<Baton, 'ingest'> {
  const otherwise = configuration.project ?? (workspace === null ? 'default' : basename(workspace.folder));
  return {
    ingest: async ({ as, ...asked }) => {
      const request: TextToIngest = {
        text: textIn(asked.text, 'text'),
        source: sourceIn(asked),
        project: asked.project === undefined ? otherwise : textIn(asked.project, 'project'),
        strict: asked.strict === true,
        ...(asked.fence === undefined ? {} : { fence: asked.fence }),
        ...(asked.signal === undefined ? {} : { signal: asked.signal }),
      };
      return (await ingestText(around, await asking(as), request)).map(answerView);
    },
  };
}

function sourceIn({ file, session, turn }: Partial<IngestOptions>): TextToIngest['source'] {
  const isOfSession = session !== undefined && turn !== undefined;
  if ((file === undefined) !== isOfSession || (session === undefined) !== (turn === undefined)) {
    throw new BatonRefusal('bad-request', 'say where it is from: file, or session and turn');
  }
  if (file !== undefined) return { file: textIn(file, 'file') };
  return { session: textIn(session, 'session'), turn: textIn(turn, 'turn') };
}

/** Callers without types can pass anything. */
function textIn(value: unknown, name: string): string {
  if (typeof value === 'string' && (value !== '' || name === 'text')) return value;
  throw new BatonRefusal('bad-request', `${name} is a text${name === 'text' ? '' : ' that is not empty'}`);
}

function answerView({ refusal, ...answer }: BlockAnswer): IngestAnswer {
  if (refusal === undefined) return answer;
  return { ...answer, refusal: { code: refusal.code, message: wordingOfIngest(refusal) } };
}
