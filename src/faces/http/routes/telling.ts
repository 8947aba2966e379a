/** What agents tell at the end of their work, and the projects that this adds up to. */
import * as z from 'zod';
import { workflowOf } from '../../../domain/workflow.ts';
import { ingestText, type BlockAnswer } from '../../../engine/verbs/ingest-text.ts';
import { wordingOfIngest } from '../../shared/ingest-wording.ts';
import { PROBLEMS } from '../../shared/problems.ts';
import { Fence } from '../../shared/requests.ts';
import { workflowView } from '../../shared/report/view.ts';
import { mustBeOperator } from '../caller.ts';
import { endpoint, json, type Endpoint } from '../contract.ts';
import { goneOrStopping } from '../gone.ts';
import { httpProblem } from '../problem.ts';

const Name = z.string().min(1).max(500);

const SummaryText = z
  .strictObject({
    text: z.string().min(1).max(1_000_000).describe('Markdown, YAML, JSON, or a transcript of JSON lines.'),
    file: Name.optional().describe('The file that it was read from: together with its text, a block is taken once.'),
    session: Name.optional().describe('Or the session that wrote it, with its turn.'),
    turn: Name.optional(),
    project: z.string().min(1).max(200).optional().describe('For blocks that name none.'),
    strict: z.boolean().optional(),
    fence: Fence.optional(),
  })
  .refine(({ file, session, turn }) => (file === undefined) === (session !== undefined && turn !== undefined), {
    message: 'say where it is from: file, or session and turn',
  });

export const TELLING: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/summaries',
    scope: 'write',
    summary: 'Read handoff blocks, and files in other forms, and do what they say',
    about:
      'A block that was read before changes nothing. Each block has its own answer; one that is refused holds up no other. ' +
      'A file without a block is read in whatever form it has.',
    body: SummaryText,
    answers: { 200: '{ blocks }, in the order of the text.' },
    answer: async ({ premises, caller, body, c }) => {
      const { text, file, session, turn, project, strict, fence } = body;
      const source = file === undefined ? { session: session ?? '', turn: turn ?? '' } : { file };
      const blocks = await ingestText(premises.around, caller.principal, {
        text,
        source,
        project: project ?? premises.project ?? 'default',
        strict: strict === true,
        ...(fence === undefined ? {} : { fence }),
        signal: goneOrStopping(premises, c),
      });
      premises.hub.nudge();
      return json({ blocks: blocks.map(blockView) });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/workflows',
    scope: 'read',
    summary: 'Projects by phase: progress, time, open legs, order of tasks',
    answers: { 200: '{ items }' },
    answer: async ({ premises: { projects }, caller }) => {
      mustBeOperator(caller);
      return json({ items: (await projects.read()).map((trail) => workflowView(workflowOf(trail))) });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/workflows/{project}',
    scope: 'read',
    summary: 'One project',
    answers: { 200: 'The project.' },
    answer: async ({ premises: { projects }, caller, c }) => {
      mustBeOperator(caller);
      const name = c.req.param('project') ?? '';
      const trail = (await projects.read()).find(({ project }) => project === name);
      if (trail !== undefined) return json(workflowView(workflowOf(trail)));
      throw httpProblem('no-such-project', `no summary was told about a project ${JSON.stringify(name)}`);
    },
  }),
];

function blockView({ refusal, ...answer }: BlockAnswer): object {
  if (refusal === undefined) return answer;
  const { code } = refusal;
  return { ...answer, refusal: { code, detail: wordingOfIngest(refusal), retryable: PROBLEMS[code].retryable } };
}
