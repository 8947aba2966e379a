import { expect, it } from 'vitest';
import { DESCRIBED } from '../../src/interfaces/http/app.ts';
import { openApiOf } from '../../src/interfaces/http/openapi.ts';
import { differenceFromPublished } from './published-schema.ts';
import { served } from './served.ts';

it('an answer with a field that is not published, or without one that is, is a difference', async () => {
  const { ask, tokenFor } = await served();
  const token = await tokenFor('@ada');
  const { json } = await ask('POST', '/api/handoffs', { token, body: { to: '@bob', input: 1 } });
  const type = 'application/json';
  const differs = (view: object): string | null =>
    differenceFromPublished('POST', '/api/handoffs', { status: 201, type, text: JSON.stringify(view) });
  expect(differs(json)).toBeNull();
  expect(differs({ ...(json as object), color: 'red' })).toContain('must NOT have additional properties');
  expect(differs({ ...(json as object), id: undefined })).toContain("must have required property 'id'");
  expect(differs({ ...(json as object), blockedOn: { reason: 'weather' } })).not.toBeNull();
});

it('the reason `artifact` and the artifacts that are needed are published', () => {
  const text = JSON.stringify(openApiOf(DESCRIBED, 'x'));
  expect(text).toContain('needsArtifacts');
  expect(text).toMatch(/"reason":\{"type":"string","const":"artifact"\}/);
});

it('every answer that has a body has a shape', () => {
  const untold = DESCRIBED.filter(
    ({ answers, responseShape: gives }) =>
      gives === undefined && Object.keys(answers).some((status) => /^2(?!04)/.test(status)),
  );
  expect(untold.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
