/** One line for every code: the table of problems has no row without one. */
import type { PROBLEMS, ProblemCode } from '../../src/faces/shared/problems.ts';

type ExitCode = (typeof PROBLEMS)[ProblemCode]['exitCode'] | 0;

export const EXIT_CODES = {
  0: 'done',
  1: 'a fault: disk, database, network',
  2: 'wrong usage',
  3: 'not found',
  4: 'refused: its state, or your rights',
  5: 'invalid input',
  6: 'a limit is reached',
  7: 'timed out',
  8: 'the handoff failed, was rejected, expired or was cancelled',
  9: "the lease is lost: it is somebody else's now",
} as const satisfies Record<ExitCode, string>;

export const MEANINGS = {
  'no-such-handoff': 'no handoff has this id in this database',
  'known-id': 'there is one with this id already, and it is another one',
  'request-reused': 'the request id was used before, with other content',
  'move-not-allowed': 'its state has no such move; see [the lifecycle](lifecycle.md)',
  'not-entitled': 'you stand in no relation to it that allows this',
  'own-work': 'sender and doer do not judge their own work',
  'too-early': 'it is not to be taken before its time',
  'not-overdue': 'its time is not up yet',
  'dependency-cycle': 'handoffs would wait for each other for ever',
  contended: 'it changed while you looked, or too many want to change it at once',
  'too-many-hops': 'its chain is longer than any that is followed: probably a loop',
  'token-needed': 'the workspace is strict, and no token was shown',
  'token-refused': 'the token is unknown, revoked, expired, of somebody else, or does not allow this',
  'evidence-missing': 'a deliverable for which nothing is shown',
  'evidence-unknown': 'evidence for something that is not among the deliverables',
  'evidence-false': 'evidence that was looked at and does not hold; the message says why',
  'criteria-open': 'a criterion that the verifier has not named as met',
  'lease-lost': 'somebody else holds it now, or nobody, or no fence was shown where one is needed',
  'limit-reached': 'sender or recipient has as many open as the configuration allows',
  'not-json': 'not JSON that can be kept; the message says where',
  'schema-unknown': 'no file in `schemas/` has this name',
  'schema-broken': 'the schema itself cannot be used; the message says why',
  'schema-violated': 'the input or the result does not follow its schema; all violations are listed',
  'bad-request': 'a value that cannot be one: a name, a number, a date, a file',
  configuration: '`baton.yaml` is wrong; the message has line and column',
  usage: 'the command was called wrongly; see its `--help`',
  'nothing-offered': 'there is nothing to claim',
  'no-such-project': 'no summary was told about a project of this name',
  'no-such-token': 'no token with this id that is still good',
  'not-yours': "somebody else's inbox, or a matter of the operator",
  'no-workspace': 'no `baton.yaml` here or above, and no database was named',
  'timed-out': 'you stopped waiting; the handoff goes on',
  'not-completed': 'it was waited for, and it ended otherwise',
  fault: 'something in the world went wrong: disk, database, network',
} as const satisfies Record<ProblemCode, string>;
