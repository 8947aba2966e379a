import { defined } from '../foundation/defined.ts';
import { ok } from '../foundation/result.ts';
import { FENCE, flag, required, text } from './field.ts';
import { defineOperation } from './operation.ts';

const TEXT_MAX = 1_000_000;
const PROJECT_MAX = 200;

export const ingest = defineOperation({
  name: 'ingest',
  summary: 'Read handoff blocks, and handoffs in other forms, and do what they say',
  about:
    'A block that was read before changes nothing. Each block has its own answer; one that is refused holds up no other. ' +
    'A file without a block is read in whatever form it has.',
  example: "ingest 'summaries/*.md'",
  permission: 'read',
  scope: 'write',
  route: { method: 'post', path: '/api/summaries' },
  input: {
    text: required(text('Markdown, YAML, JSON, or a transcript of JSON lines', { max: TEXT_MAX, mayBeEmpty: true })),
    file: text('The file that it was read from: together with its text, a block is taken once'),
    session: text('Or the session that wrote it, with its turn: then only blocks are read'),
    turn: text('The turn of that session'),
    project: text('For blocks that name none (default: that of baton.yaml)', { max: PROJECT_MAX }),
    preview: flag('Only say what would be taken'),
    strict: flag('Take only blocks that are written exactly as specified'),
    fence: FENCE,
  },
  canBeStopped: true,
  result: 'ingested',
  check: ({ file, session, turn }, nameOf) => {
    const isOfSession = session !== undefined && turn !== undefined;
    const isHalf = (session === undefined) !== (turn === undefined);
    const names = `${nameOf('file')}, or ${nameOf('session')} and ${nameOf('turn')}`;
    return (file === undefined) !== isOfSession || isHalf ? `say where it is from: ${names}` : null;
  },
  run: async (ctx, principal, { file, session = '', turn = '', project, ...request }, { signal, project: own }) => {
    const { ingestText } = await import('../engine/handoffs/ingest-text.ts');
    return ok(
      await ingestText(ctx, principal, {
        ...request,
        source: file === undefined ? { session, turn } : { file },
        project: project ?? own ?? 'default',
        ...defined({ signal }),
      }),
    );
  },
});
