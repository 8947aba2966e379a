/** The whole cycle in real tmux, with nobody touching anything. */
import { readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { STEPS } from '../../src/domain/succession.ts';
import { needComponent } from '../support/components.ts';
import { factsOf, GUARDRAILS, makeStage, promptsOf, SKILL, stepsOf } from './tmux-world.ts';

const tmux = await needComponent('tmux');

it.skipIf(tmux === null)(
  'X1, X2, X3, X4, X5, X6, X7, X8: an agent hands over to its successor by one command, untouched',
  async () => {
    const stage = await makeStage();
    const id = await stage.startAgent();
    const ended = await stage.run(['agent', 'handoff', String(id), '--context', 'mention the failing test', '--json']);
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    const {
      handoff,
      successor,
      file_path: path,
    } = JSON.parse(ended.stdout) as {
      readonly handoff: never;
      readonly successor: number;
      readonly file_path: string;
    };
    // 3: the path of the specification, absolute.
    expect(path).toMatch(
      new RegExp(`^${stage.folder}/data/personas/dev/handoffs/\\d{8}T\\d{6}-${String(id).padStart(8, '0')}\\.md$`),
    );
    expect(statSync(path).size).toBeGreaterThan(100);
    const [outgoing, next] = [await stage.agent(id), await stage.agent(successor)];
    // 2: the instruction was typed once, as one line that names the path and points to a file.
    const typed = promptsOf(stage, outgoing.conversation).filter((line) => line.includes(handoff));
    expect(typed).toHaveLength(1);
    expect(typed[0]).toContain(`handoff document to ${path}`);
    const instruction = readFileSync(path.replace('.md', '.instruction.md'), 'utf8');
    expect(instruction).toContain('mention the failing test');
    for (const section of ['Current work', 'Progress', 'Decisions', 'Blockers', 'Files changed', 'Next steps']) {
      expect(instruction).toContain(`## ${section}`);
    }
    // 7, 8: retired and followed by the same persona.
    expect(outgoing.state).toBe('retired');
    expect([next.state, next.persona, next.previous_agent_id]).toEqual(['active', 'dev', id]);
    // 9, 10: guardrails, skill, then the line that names predecessor, path and digest; each once, the document never.
    const heard = promptsOf(stage, next.conversation);
    expect(heard).toHaveLength(2);
    expect(heard[0]?.indexOf(GUARDRAILS)).toBeGreaterThan(-1);
    expect(heard[0]?.indexOf(SKILL)).toBeGreaterThan(heard[0]?.indexOf(GUARDRAILS) ?? 0);
    expect(heard[1]).toContain(`agent ${id}`);
    expect(heard[1]).toContain(path);
    expect(heard[1]).toMatch(/sha256 [0-9a-f]{64}/);
    // 6, 11: every step is one fact of one handoff, in order; the record has all fields.
    expect(await stepsOf(stage, handoff)).toEqual([...STEPS]);
    const facts = await factsOf(stage, handoff);
    const recorded = facts.map(({ detail }) => detail).find((detail) => detail.includes('injection_prompt')) ?? '{}';
    expect(JSON.parse(recorded)).toMatchObject({
      agent_id: id,
      reason: 'manual',
      file_path: path,
      injection_prompt: heard[1],
      created_at: expect.stringMatching(/^\d{4}-/) as string,
      quality: { score: 100, missing: [] },
    });
    expect(facts.at(-1)?.to).toBe('completed');
  },
);
