/** Retention of finished handoffs: archive and remove them, or erase their content. */
import { defined } from '../foundation/defined.ts';
import { err, ok } from '../foundation/result.ts';
import { duration, flag, longText } from './field.ts';
import { defineMove, defineOperation } from './operation.ts';

const CENTURY_SECONDS = 100 * 366 * 24 * 60 * 60;

export const prune = defineOperation({
  name: 'prune',
  summary: 'Archive finished handoffs and remove them from the database',
  about:
    'Each archive is an export file with checksums: `audit --offline` checks it and `import` restores it. The archive is on disk before anything is removed, so a prune can be stopped, killed and repeated at any time. A chain is removed as a whole. Documents stay, and so do handoffs that an open handoff depends on. Pruning uses a tenth of the time, so that it does not slow down workers.',
  example: 'prune --older-than 90d --dry-run',
  permission: 'operator',
  route: { method: 'post', path: '/api/prune' },
  canBeStopped: true,
  input: {
    olderThanMs: duration(
      { minSeconds: 0, maxSeconds: CENTURY_SECONDS },
      'Only handoffs that finished at least this long ago, such as 90d (default: retention.days in baton.yaml)',
    ),
    dryRun: flag('Show what would be removed; change nothing'),
  },
  result: 'pruned',
  run: async (ctx, _principal, { olderThanMs = ctx.rules.retentionMs ?? undefined, dryRun = false }, { signal }) => {
    const { archive } = ctx.rules;
    if (olderThanMs === undefined) {
      return err({
        code: 'bad-request',
        says: 'prune needs an age: --older-than 90d, or retention.days in baton.yaml',
      });
    }
    if (archive === null) {
      const says = 'archives need a workspace, and there is none here; make one with: baton init';
      return err({ code: 'no-workspace', says });
    }
    const { prune: run } = await import('../engine/retention/prune.ts');
    const settledBefore = ctx.store.nowMs() - olderThanMs;
    return ok(await run(ctx, archive, { settledBefore, isDryRun: dryRun, ...defined({ signal }) }));
  },
});

export const erase = defineMove({
  name: 'erase',
  summary: 'Erase the content of a finished handoff, and keep its trail',
  about:
    'Title, input, context, result, evidence and the details of facts are removed for good. Who did what and when stays, with its hashes; a new fact records who erased the content, and seals the rest. Archives, exports, backups and git are not changed.',
  example: "erase hoff-0190… --reason 'holds personal data'",
  input: { reason: longText('The reason; it stays in the trail') },
  run: async (ctx, principal, { id, reason }) => {
    const { erase: run } = await import('../engine/retention/erase.ts');
    return run(ctx, principal, id, reason ?? null);
  },
});
