/**
 * How much the tests of chance and of crowds do. `npm test` takes the short sizes and stays within minutes;
 * `npm run test:long` takes the long ones. A variable of the environment with the same name goes before both.
 */
const SIZES = {
  /** Listeners and handoffs of the load test, as a part of what is promised. */
  BATON_HTTP_LOAD: { short: 0.05, long: 1 },
  /** Handoffs on a board. */
  BATON_BOARD_COUNT: { short: 500, long: 5_000 },
  /** Seeds of the clones that share documents by git. */
  BATON_CLONES_SEEDS: { short: 8, long: 5_000 },
  /** Moves that one commit tells of. */
  BATON_CLONES_MOVES: { short: 2, long: 4 },
  /** Databases on which tests of single commands run. */
  BATON_COMMAND_DATABASES: { short: 1, long: 2 },
  /** Random values that are written into a document. */
  BATON_DOCUMENT_EDITS: { short: 80, long: 3_000 },
  BATON_DOCUMENTS_ACTIVE: { short: 100, long: 1_000 },
  BATON_DOCUMENTS_ADOPTED: { short: 60, long: 1_000 },
  BATON_DOCUMENTS_ARCHIVED: { short: 300, long: 10_000 },
  /** Of the calls at which the disk of a document folder fails, one of so many is tried. */
  BATON_DISK_FAILURES_SHARE: { short: 2, long: 1 },
  BATON_FLOOD_COUNT: { short: 60, long: 10_000 },
  BATON_FOLDER_COUNT: { short: 100, long: 2_000 },
  /** Handoffs in a queue folder whose workers are killed, ours and theirs. */
  BATON_FOLDER_KILLS: { short: 10, long: 2_000 },
  /** Of the hostile arguments and options of all commands, one of so many is tried. */
  BATON_HOSTILE_SHARE: { short: 12, long: 1 },
  /** Finished messages in a queue folder. */
  BATON_HISTORY_COUNT: { short: 100, long: 10_000 },
  /** Files that nobody understands, in the queue folder. */
  BATON_JUNK_COUNT: { short: 300, long: 100_000 },
  /** Two machines of one name on one PostgreSQL, their workers killed at random. */
  BATON_MACHINES_SECONDS: { short: 3, long: 300 },
  /** Seeds of naive programs and ours in one queue folder. */
  BATON_NAIVE_SEEDS: { short: 15, long: 10_000 },
  /** Random schedules of the specification's Python programs, as real processes. */
  BATON_PYTHON_SCHEDULES: { short: 6, long: 500 },
  /** Parts of the contract suite that run behind a pooler too. */
  BATON_POOLED_PARTS: { short: 4, long: 100 },
  /** Cut points of the power-cut test. */
  BATON_POWER_CUTS: { short: 20, long: 400 },
  /** Processes that want the same thing at once. */
  BATON_RACERS: { short: 8, long: 50 },
  /** Seeds of the invariants with everything at once on real databases. */
  BATON_REAL_SEEDS: { short: 1, long: 30 },
  /** Random texts for the reader of summary blocks. */
  BATON_RUNS: { short: 200, long: 50_000 },
  BATON_SIMULATION_SEEDS: { short: 20, long: 10_000 },
  /** Connections to PostgreSQL that are ended, and its immediate restarts. */
  BATON_STORM_KILLS: { short: 20, long: 400 },
  BATON_STORM_RESTARTS: { short: 1, long: 10 },
  /** Of the broken sample projects, one of so many is judged in a shadow. */
  BATON_SHADOW_SHARE: { short: 3, long: 1 },
  /** `kill -9` at random, and eight writers; from 30 on fairness and standstill are asserted. */
  BATON_STORM_SECONDS: { short: 2, long: 60 },
  /** SIGSTOP of a worker at random moments, with three others at work. */
  BATON_STORM_STOPS: { short: 6, long: 500 },
  BATON_TRANSFER_COUNT: { short: 100, long: 20_000 },
  /** Random walks through the lifecycle. */
  BATON_WALKS: { short: 150, long: 50_000 },
} as const satisfies Readonly<Record<string, { readonly short: number; readonly long: number }>>;

export function campaignSize(name: keyof typeof SIZES): number {
  const given = process.env[name];
  if (given !== undefined) return Number(given);
  return SIZES[name][process.env['BATON_CAMPAIGN'] === 'long' ? 'long' : 'short'];
}
