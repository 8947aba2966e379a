import { describe, expect, it } from 'vitest';
import { SHADOW_RUBRIC } from '../../src/domain/shadow-rubric.ts';
import { verdictOf } from '../../src/domain/shadow-verdict.ts';
import { verdictJson } from '../../src/formats/shadow-manifest/verdict.ts';
import { visit, withBrowser } from './visitor.ts';

withBrowser();

/** A verdict as the worker writes it, in which the tests fail; what a project prints is not to be trusted. */
function sampleVerdict(): object {
  const lost = ['basic_function', 'integration', 'no_regressions'];
  const points = SHADOW_RUBRIC.map(({ id, category, question, points: max, field, todo }) => ({
    id,
    category,
    question,
    max,
    points: lost.includes(id) ? 0 : max,
    judged: field,
    evidence: [
      {
        command: `echo ${id}`,
        exitCode: lost.includes(id) ? 1 : 0,
        durationMs: 12,
        output: lost.includes(id) ? '<script>alert(1)</script> not ok 1 - adds' : 'ok',
        stoppedBy: null,
      },
    ],
    says: lost.includes(id) ? 'exit code 1: not ok 1 - adds' : 'yes',
    todo: lost.includes(id) ? todo : null,
  }));
  const environment = {
    runtime: 'podman',
    image: 'localhost/baton-shadow:1',
    base: 'an empty image with the host’s /usr read-only',
    limits: [],
    sources: [],
    warnings: ['memory is not enforced: rootless'],
    failureReason: null,
  };
  return verdictJson(verdictOf('shadow', points, environment));
}

describe('the page of a shadow test', () => {
  it('V8: shows categories as bars, and the evidence of a point with one click', async (context) => {
    const { page, url, send, move, troubles } = await visit(context);
    const id = await send({ to: '@shadow-smoke-test', title: 'Shadow test of acme/widget', input: {} });
    await move('@shadow-smoke-test', id, 'accept');
    await move('@shadow-smoke-test', id, 'deliver', { result: sampleVerdict() });
    await page.goto(`${url}/#/handoffs/${id}`);
    const verdict = page.getByRole('region', { name: 'Verdict' });
    await expect.poll(() => verdict.getByRole('heading', { level: 2 }).textContent()).toBe('FAIL: 70 of 100 points');
    await expect.poll(() => verdict.locator('meter').count()).toBe(5);
    expect(await verdict.getByRole('meter', { name: 'code execution' }).getAttribute('value')).toBe('10');
    const point = verdict.locator('details.lost').first();
    expect(await point.locator('pre').isVisible()).toBe(false);
    await point.locator('summary').click();
    await expect.poll(() => point.locator('pre').textContent()).toContain('<script>alert(1)</script> not ok 1');
    await expect.poll(() => point.locator('figcaption').textContent()).toContain('exit 1');
    await expect.poll(() => verdict.textContent()).toContain('memory is not enforced');
    expect(troubles).toEqual([]);
    const picture = process.env['BATON_SCREENSHOT'];
    if (picture !== undefined) await page.screenshot({ path: picture, fullPage: true });
  });
});
