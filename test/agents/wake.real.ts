/** The real programs, set up by `baton setup`, learn of work for them: when they start, and at the end of a turn. */
import { execFileSync } from 'node:child_process';
import { afterEach, expect, it } from 'vitest';
import { BATON } from '../support/processes.ts';
import { agentProject, type AgentProject } from './real-agents.ts';

let project: AgentProject | null = null;
afterEach(async () => project?.close());

it.each([
  ['claude', "claude -p 'say hello'"],
  ['codex', "codex exec --dangerously-bypass-hook-trust 'say hello' < /dev/null"],
  ['gemini', "gemini -m gemini-2.5-flash -p 'say hello'"],
])('%s hears of waiting work at its start, and of new work once at the end of its turn', async (vendor, command) => {
  const offer = (title: string): unknown =>
    execFileSync(process.execPath, [BATON, 'send', '--from', '@lead', '--to', `@${vendor}`, '--title', title], {
      cwd: project?.folder,
    });
  let isOffered = false;
  project = await agentProject(() => {
    // Somebody offers something while the agent thinks.
    if (!isOffered) offer('Paint the second');
    isOffered = true;
    return { text: 'Hello.' };
  });
  const typed = async (line: string): Promise<void> => {
    const ended = await (project as AgentProject).sh(line);
    expect({ line, ...ended }).toMatchObject({ code: 0 });
  };
  await typed('baton init');
  await typed(`baton setup ${vendor} --yes`);
  offer('Paint the first');
  await typed(command);
  const { asked } = project.model;
  expect(asked).toHaveLength(2);
  expect(asked[0]?.body).toContain('Paint the first');
  expect(asked[0]?.body).not.toContain('Paint the second');
  expect(asked[1]?.last).toContain('1 handoff is offered to you');
  expect(asked[1]?.last).toContain('Paint the second');
});
