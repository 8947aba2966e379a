/** How a run of the real programs ends, as workers: with plain text, at a usage limit, and without any answer. */
import { afterEach, expect, it } from 'vitest';
import { agentProject, type AgentProject } from './real-agents.ts';
import type { Asked, Reply } from './stand-in-model.ts';

let project: AgentProject | null = null;
afterEach(async () => project?.close());

/** What comes after `--` for each program. */
const OPTIONS = { claude: '', codex: '', gemini: '-- -m gemini-2.5-flash' } as const;

const QUOTA = {
  error: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'You exceeded your current quota, please check your plan and billing details.',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier', quotaValue: '50' }],
      },
    ],
  },
};

interface Shown {
  readonly state: string;
  readonly result: unknown;
  readonly facts: readonly { readonly deed: string; readonly detail?: Record<string, unknown> }[];
}

/** One handoff, worked once by the real program behind this model. */
async function workOnce(vendor: keyof typeof OPTIONS, answer: (asked: Asked) => Reply, more = ''): Promise<Shown> {
  project = await agentProject(answer);
  await project.sh('baton init');
  const { stdout } = await project.sh(`baton send --from @lead --to @${vendor} --title 'Say hello'`);
  await project.sh(`baton work @${vendor} --agent ${vendor} --once ${more} ${OPTIONS[vendor]}`);
  return JSON.parse((await project.sh(`baton show ${stdout.trim()} --json`)).stdout) as Shown;
}

const deedsOf = ({ facts }: Shown): readonly string[] =>
  facts.map(({ deed }) => deed).filter((deed) => deed !== 'progress');

it.each(['claude', 'codex', 'gemini'] as const)('%s prints plain text: the text is the result', async (vendor) => {
  const shown = await workOnce(vendor, () => ({ text: 'Hello to you.' }));
  expect([shown.state, shown.result]).toEqual(['completed', { text: 'Hello to you.' }]);
});

it.each([
  ['claude', { type: 'error', error: { type: 'rate_limit_error', message: 'This would exceed your rate limit.' } }],
  ['gemini', QUOTA],
  ['codex', { error: { type: 'usage_limit_reached', message: 'The usage limit has been reached', plan_type: 'plus' } }],
] as const)('%s hits its usage limit: nothing failed, the handoff is offered again later', async (vendor, error) => {
  const shown = await workOnce(vendor, () => ({ status: 429, headers: { 'x-should-retry': 'false' }, error }));
  expect(shown.state).toBe('offered');
  expect(deedsOf(shown)).toEqual(['create', 'accept', 'release']);
});

it.each(['claude', 'codex'] as const)('%s never answers: it is ended after its time', async (vendor) => {
  const shown = await workOnce(vendor, () => ({ hang: true }), '--timeout 15s --retries 0');
  expect(shown.state).toBe('failed');
  expect(deedsOf(shown)).toEqual(['create', 'accept', 'fail']);
});
