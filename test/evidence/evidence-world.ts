import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { present } from '../../src/foundation/assert.ts';
import type { Check, Claim, Evidence } from '../../src/domain/evidence.ts';
import type { EvidenceChecker, EvidenceFor } from '../../src/engine/evidence-checker.ts';
import { openEvidenceChecker } from '../../src/adapters/evidence/open-evidence-checker.ts';
import { tempFolder } from '../support/processes.ts';

/** These tests have neither a database nor a sandbox; those of `test/shadows` have both. */
const WITHOUT_SHADOWS = {
  store: { load: async () => null, facts: async () => [] },
  openSandbox: async () => ({ isInstalled: false, run: async () => 'there is no sandbox here' }),
};

/** Made before everything that is shown for it. */
export const ASKED: EvidenceFor = { createdAt: 0, terms: { deliverables: ['it'] } };

export interface DeskUnderTest {
  readonly folder: string;
  readonly desk: EvidenceChecker;
  readonly write: (path: string, text: string) => void;
  /** First look at one piece. */
  readonly show: (kind: Evidence['kind'], value: string) => Promise<{ readonly check: Check; readonly claim: Claim }>;
  /** Second look at the same. */
  readonly again: (claim: Claim) => Promise<Check>;
}

export function deskIn(
  folder: string = tempFolder(),
  commands: 'allowed' | 'refused' = 'allowed',
  commandTimeoutMs = 20_000,
  handoff: EvidenceFor = ASKED,
): DeskUnderTest {
  const desk = openEvidenceChecker({ folder, commands, commandTimeoutMs, isStrict: false, ...WITHOUT_SHADOWS });
  return {
    folder,
    desk,
    write: (path, text) => writeFileSync(join(folder, path), text),
    show: async (kind, value) => {
      const { claims, checks } = await desk.collect([{ deliverable: 'it', kind, value }], handoff);
      return { check: present(checks[0], 'one check'), claim: present(claims[0], 'one claim') };
    },
    again: async (claim) => present((await desk.check([claim], handoff))[0], 'one check'),
  };
}
