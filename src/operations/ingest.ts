import { defined } from '../foundation/defined.ts';
import { ok } from '../foundation/result.ts';
import { FENCE, flag, required, text } from './field.ts';
import { defineOperation } from './operation.ts';

const TEXT_MAX = 1_000_000;
const PROJECT_MAX = 200;

export const ingest = defineOperation({
  name: 'ingest',
  summary: 'Read handoff blocks and other handoff formats from text, and apply them',
  about:
    'A block that was read before changes nothing. Each block has its own result; a refused block does not stop the others. ' +
    'A file without a block is read in any other known format.',
  example: "ingest 'summaries/*.md'",
  permission: 'read',
  scope: 'write',
  route: { method: 'post', path: '/api/summaries' },
  input: {
    text: required(text('Markdown, YAML, JSON, or a transcript of JSON lines', { max: TEXT_MAX, mayBeEmpty: true })),
    file: text('The file that the text was read from; a block with the same text from the same file is taken once'),
    session: text('Instead of file: the session that wrote the text, with its turn; then only blocks are read'),
    turn: text('The turn of that session'),
    project: text('The project of blocks that name none (default: the one in baton.yaml)', { max: PROJECT_MAX }),
    preview: flag('Show what would be taken; change nothing'),
    strict: flag('Take only blocks that follow the specification exactly'),
    fence: FENCE,
  },
  canBeStopped: true,
  result: 'ingested',
  check: ({ file, session, turn }, nameOf) => {
    const isOfSession = session !== undefined && turn !== undefined;
    const isHalf = (session === undefined) !== (turn === undefined);
    const names = `${nameOf('file')}, or ${nameOf('session')} and ${nameOf('turn')}`;
    return (file === undefined) !== isOfSession || isHalf ? `name the source of the text: ${names}` : null;
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
