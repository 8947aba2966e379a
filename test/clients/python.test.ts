/** The Python client, by its own tests, against a real server. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { agent, openBaton } from '../../src/index.ts';
import { served } from '../http/served.ts';
import { until } from '../support/processes.ts';
import { howToGet, needComponent } from '../support/components.ts';

it('Q2: the tests of the Python client pass against a server', async ({ skip }) => {
  const python = await needComponent('python3');
  if (python === null) return skip(howToGet('python3'));
  const { url, folder, tokenFor, ask } = await served();
  // A worker in another language, whose schema the server hears of by the stored policy.
  const baton = await openBaton({ workspace: folder });
  onTestFinished(() => baton.close());
  await baton.work(agent('@typed', { input: z.object({ order: z.number() }) }), () => null).stop();
  const token = await tokenFor('@me');
  const wrong = { token, body: { to: '@typed', input: { order: 'one' } } };
  await until('the server knows the schema', async () => (await ask('POST', '/api/v1/handoffs', wrong)).status === 422);
  const env = {
    ...process.env,
    BATON_URL: url,
    BATON_TOKEN_ME: token,
    BATON_TOKEN_WORKER: await tokenFor('@worker'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const { stderr } = await promisify(execFile)(python, ['-W', 'error', '-m', 'unittest', '-v', 'tests.test_client'], {
    cwd: 'clients/python',
    env,
  });
  expect(stderr).toMatch(/Ran 9 tests[^]*\nOK\n/);
});
