/** Many commands, one after the other: most of them need no process of their own then. */
import { expect } from 'vitest';
import type { Ended } from '../support/processes.ts';

export interface Asked<Question> {
  readonly question: Question;
  readonly answer: Ended;
}

/** Runs `ask` for each, and answers in their order. What they say has to be fit for a person to read. */
export async function askEach<Question>(
  questions: readonly Question[],
  ask: (question: Question) => Promise<Ended>,
): Promise<readonly Asked<Question>[]> {
  const asked: Asked<Question>[] = [];
  for (const question of questions) asked.push({ question, answer: await ask(question) });
  const unfit = asked.filter(({ answer }) => UNFIT.test(answer.stderr) || answer.signal !== null);
  expect(unfit).toEqual([]);
  return asked;
}

/** What nobody may get to see of a program: what a terminal would obey, or a look into our inside. */
// eslint-disable-next-line no-control-regex -- these are the characters that must not be there
const UNFIT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]|\n {4}at |node:internal/;

/** An answer with that code, nothing on standard output, and a complaint that says this. */
export function refused(code: number, says: string): Ended {
  return { code, signal: null, stdout: '', stderr: expect.stringContaining(says) as string };
}
