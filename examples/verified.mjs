/** Verified work: deliverables with evidence, and another agent that agrees that the work is done. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonRefusal, openBaton } from 'batonpass';

const folder = mkdtempSync(join(tmpdir(), 'baton-example-'));
writeFileSync(join(folder, 'baton.yaml'), '');
const baton = await openBaton({ workspace: folder });

/** Everything that is refused is thrown with a code, and has changed nothing. */
const refusedWith = (code) => (error) => error instanceof BatonRefusal && error.code === code;

try {
  // A document begins as a draft, so that it can be looked over before anybody is told of it.
  const { id } = await baton.send({
    kind: 'document',
    from: '@pm',
    to: '@dev',
    title: 'Login page',
    input: { purpose: 'people want in' },
    deliverables: ['login page'],
    criteria: ['works on a phone'],
    verifiers: ['@qa'],
  });
  await baton.activate(id, { as: '@pm' });
  await baton.accept(id, { as: '@dev' });

  // Evidence is looked at before anything is written: there has to be such a file in the workspace.
  const evidence = [{ deliverable: 'login page', kind: 'file', value: 'login.html' }];
  await assert.rejects(baton.deliver(id, { as: '@dev' }), refusedWith('evidence-missing'));
  await assert.rejects(baton.deliver(id, { as: '@dev', evidence }), refusedWith('evidence-false'));
  writeFileSync(join(folder, 'login.html'), '<form></form>');
  await baton.deliver(id, { as: '@dev', evidence });

  // Nobody judges their own work, and the doer gets back what is not done.
  await assert.rejects(baton.verify(id, { as: '@dev' }), refusedWith('own-work'));
  await assert.rejects(baton.verify(id, { as: '@qa' }), refusedWith('criteria-open'));
  const back = await baton.rework(id, { as: '@qa', reason: 'the button is missing' });
  assert.equal(back.state, 'accepted');

  writeFileSync(join(folder, 'login.html'), '<form><button>Log in</button></form>');
  await baton.deliver(id, { as: '@dev', evidence });
  const done = await baton.verify(id, { as: '@qa', criteria: ['works on a phone'], notes: 'tried it' });
  assert.equal(done.state, 'completed');

  // @pm finds it in the inbox, and takes it as read.
  const [news] = await baton.inbox('@pm', { clear: true });
  assert.equal(news.event, 'completed');
  console.log((await baton.facts(id)).map(({ deed, by }) => `${deed} by ${by}`).join(', '));
} finally {
  await baton.close();
  rmSync(folder, { recursive: true });
}
