/**
 * The relay of the demo: a feature goes from planner to builder to reviewer to writer. An attempt fails and is repeated,
 * a question is asked and answered, and another agent verifies the work.
 */
import type { Json } from '../../../foundation/json.ts';
import type { HandoffView } from '../../shared/views.ts';
import type { DemoAgent, DemoServer } from './demo-server.ts';

export interface RelayOptions {
  readonly server: DemoServer;
  /** Called between two steps, so that a person can watch. */
  pause(): Promise<void>;
  /** Called after each change of a handoff. */
  shown(handoff: HandoffView): Promise<void>;
}

const RETRY = { max: 2, delaySeconds: 0.4 } as const;

export async function runRelay({ server, pause, shown }: RelayOptions): Promise<Json> {
  const [planner, builder, reviewer, writer, linter] = await Promise.all(
    ['@planner', '@builder', '@reviewer', '@writer', '@linter'].map((name) => server.actor(name)),
  );
  const verifier = await server.actor('@verifier', ['verifier']);
  if (!planner || !builder || !reviewer || !writer || !linter) throw new Error('an actor is missing');

  const show = async (done: Promise<HandoffView>): Promise<HandoffView> => {
    const handoff = await done;
    await shown(handoff);
    await pause();
    return handoff;
  };
  const step = (actor: DemoAgent, id: string, move: string, body: object = {}): Promise<HandoffView> =>
    show(actor.move(id, move, body));
  const begin = (actor: DemoAgent, body: object): Promise<HandoffView> => show(actor.send(body));
  const take = (actor: DemoAgent, id: string): Promise<HandoffView> => show(actor.take(id));

  const build = await begin(planner, {
    to: '@builder',
    title: 'Build the profile page',
    task: 'PROFILE-1',
    input: { component: 'UserProfile', fields: ['name', 'avatar', 'bio'] },
    retry: RETRY,
  });
  const first = await take(builder, build.id);
  // More handoffs, because a board with one card shows little.
  const lints: HandoffView[] = [];
  for (const file of ['header.tsx', 'avatar.tsx', 'bio.tsx']) {
    const about = { to: '@linter', title: `Lint ${file}`, input: { file }, priority: 'low', parent: build.id };
    lints.push(await begin(builder, about));
  }
  await step(builder, build.id, 'progress', { fence: first.fence, fraction: 0.3, says: 'the layout stands' });
  await step(builder, build.id, 'fail', {
    fence: first.fence,
    code: 'PROCESSING_ERROR',
    message: 'the compiler ran out of memory',
  });
  for (const { id } of lints) {
    const { fence } = await take(linter, id);
    await step(linter, id, 'deliver', { fence, result: { warnings: 0 } });
  }
  const second = await take(builder, build.id);
  const built = { files: ['UserProfile.tsx', 'UserProfile.test.tsx'], tests: '12/12' };
  await step(builder, build.id, 'deliver', { fence: second.fence, result: built });

  const review = await begin(builder, {
    to: '@reviewer',
    title: 'Review the profile page',
    task: 'PROFILE-1',
    input: built,
    parent: build.id,
    priority: 'high',
  });
  const seen = await take(reviewer, review.id);
  await step(reviewer, review.id, 'block', { fence: seen.fence, question: 'Is the bio meant to be public?' });
  await step(builder, review.id, 'unblock', { answer: 'Yes, it is on the public page.' });
  const again = await take(reviewer, review.id);
  const approved = { approved: true, saw: built };
  await step(reviewer, review.id, 'deliver', { fence: again.fence, result: approved });

  const guide = await begin(reviewer, {
    to: '@writer',
    kind: 'document',
    title: 'Write the guide for the profile page',
    task: 'PROFILE-2',
    input: { purpose: 'People have to find the switch that makes their bio public.' },
    deliverables: ['guide'],
    criteria: ['somebody new can follow it'],
    verifiers: ['@verifier'],
    parent: review.id,
  });
  await step(reviewer, guide.id, 'activate');
  await step(writer, guide.id, 'accept', { notes: 'On it.' });
  await step(writer, guide.id, 'deliver', {
    evidence: [{ deliverable: 'guide', kind: 'note', value: 'docs/profile.md, two pages' }],
  });
  await step(verifier, guide.id, 'verify', {
    notes: 'Followed it from the beginning.',
    criteria: [{ criterion: 'somebody new can follow it' }],
  });
  return approved;
}
