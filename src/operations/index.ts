/** Every operation that can be asked for. What an interface offers is derived from this list. */
import { accept } from './accept.ts';
import { activate } from './activate.ts';
import { cleanArtifacts, findArtifacts, registerArtifact, showArtifact } from './artifact.ts';
import { block } from './block.ts';
import { cancel } from './cancel.ts';
import { claim } from './claim.ts';
import { deliver } from './deliver.ts';
import { facts } from './facts.ts';
import { fail } from './fail.ts';
import { inbox } from './inbox.ts';
import { ingest } from './ingest.ts';
import { list } from './list.ts';
import { pause, pauses, resume } from './pause.ts';
import { progress } from './progress.ts';
import { ready } from './ready.ts';
import { reassign } from './reassign.ts';
import { reject } from './reject.ts';
import { release } from './release.ts';
import { renew } from './renew.ts';
import { report } from './report.ts';
import { erase, prune } from './retention.ts';
import { retry } from './retry.ts';
import { revise } from './revise.ts';
import { rework } from './rework.ts';
import { addSchedule, removeSchedule, schedules } from './schedule.ts';
import { send } from './send.ts';
import { show } from './show.ts';
import { status } from './status.ts';
import { trace } from './trace.ts';
import { unblock } from './unblock.ts';
import { resend, undelivered } from './undelivered.ts';
import { verify } from './verify.ts';
import { wait } from './wait.ts';
import { workflow } from './workflow.ts';

/** Changes of an existing handoff. */
export const MOVES = {
  revise,
  activate,
  accept,
  reject,
  release,
  renew,
  progress,
  deliver,
  fail,
  block,
  unblock,
  verify,
  rework,
  cancel,
  retry,
  reassign,
  erase,
} as const;
export type MoveName = keyof typeof MOVES;

/** Operations that only read. */
export const READS = { status, list, ready, show, facts, trace, wait, inbox } as const;

export type ReadName = keyof typeof READS;

/** By the name of the library's method. */
export const OPERATIONS = {
  send,
  claim,
  ...MOVES,
  ...READS,
  ingest,
  workflow,
  report,
  addSchedule,
  schedules,
  removeSchedule,
  pause,
  resume,
  pauses,
  undelivered,
  resend,
  findArtifacts,
  showArtifact,
  registerArtifact,
  cleanArtifacts,
  prune,
} as const;
