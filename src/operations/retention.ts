/** What becomes of handoffs that are over: they leave the database, or what they told is erased. */
import { defined } from '../foundation/defined.ts';
import { err, ok } from '../foundation/result.ts';
import { duration, flag, longText } from './field.ts';
import { defineMove, defineOperation } from './operation.ts';

const CENTURY_SECONDS = 100 * 366 * 24 * 60 * 60;

export const prune = defineOperation({
  name: 'prune',
  summary: 'Move finished handoffs to an archive and remove them from the database',
  about:
    'Each archive is a file in the form of an export, with checksums: `audit --offline` checks it and `import` brings it back. It is on the disk before anything is removed, so a prune can be stopped, killed and repeated at any moment. A chain goes as a whole; what something open depends on stays, and documents stay. A tenth of the time is used, so that workers are not slowed down.',
  example: 'prune --older-than 90d --dry-run',
  permission: 'operator',
  route: { method: 'post', path: '/api/prune' },
  canBeStopped: true,
  input: {
    olderThanMs: duration(
      { minSeconds: 0, maxSeconds: CENTURY_SECONDS },
      'What has been finished for at least this long, such as 90d (default: retention.days of baton.yaml)',
    ),
    dryRun: flag('Say what would go, and change nothing'),
  },
  result: 'pruned',
  run: async (ctx, _principal, { olderThanMs = ctx.rules.retentionMs ?? undefined, dryRun = false }, { signal }) => {
    const { archive } = ctx.rules;
    if (olderThanMs === undefined) {
      return err({ code: 'bad-request', says: 'say how old: --older-than 90d, or set retention.days in baton.yaml' });
    }
    if (archive === null) {
      const says = 'archives lie in a workspace, and there is none here; make one with: baton init';
      return err({ code: 'no-workspace', says });
    }
    const { prune: run } = await import('../engine/retention/prune.ts');
    const settledBefore = ctx.store.nowMs() - olderThanMs;
    return ok(await run(ctx, archive, { settledBefore, isDryRun: dryRun, ...defined({ signal }) }));
  },
});

export const erase = defineMove({
  name: 'erase',
  summary: 'Erase what a finished handoff told, and keep its trail',
  about:
    'Title, input, context, result, evidence and the details of its facts are gone for good. Who did what when stays, with its hashes; a fact says who erased it, and seals what is left. Archives, exports, backups and git are not reached.',
  example: "erase hoff-0190… --reason 'holds personal data'",
  input: { reason: longText('Why; it stays in the trail') },
  run: async (ctx, principal, { id, reason }) => {
    const { erase: run } = await import('../engine/retention/erase.ts');
    return run(ctx, principal, id, reason ?? null);
  },
});
