/** The description of what is served, made from the entries that serve it. */
import * as z from 'zod';
import { ProblemShape } from '../shared/view-shapes.ts';
import { endpoint, json, type Endpoint } from './contract.ts';
import { PROBLEM_TYPE } from './problem.ts';

type Schema = Readonly<Record<string, unknown>>;

export function openApiOf(endpoints: readonly Endpoint[], version: string): Schema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const each of endpoints) {
    paths[each.path] = { ...paths[each.path], [each.method]: operationOf(each) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Baton',
      version,
      description: 'Hands work from one agent to another and proves that it arrived.',
    },
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Made by `baton token new`.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'baton-PORT',
          description: 'From a login link; writes also show X-Baton-Csrf.',
        },
      },
      schemas: { Problem: schemaOf(ProblemShape) },
    },
  };
}

function operationOf(each: Endpoint): Schema {
  const { summary, about, scope, body } = each;
  return {
    summary,
    ...(about === undefined ? {} : { description: about }),
    operationId: operationId(each),
    ...(scope === null ? { security: [] } : {}),
    parameters: [...pathParameters(each), ...queryParameters(each), ...headerParameters(each)],
    ...(body === undefined
      ? {}
      : { requestBody: { content: { 'application/json': { schema: schemaOf(body) } }, required: false } }),
    responses: responsesOf(each),
  };
}

/** `postHandoffsIdCancel`: the same for as long as the path is. */
function operationId({ method, path }: Endpoint): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'api');
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function responsesOf({ answers, gives, giving = 'application/json' }: Endpoint): Schema {
  const given = Object.entries(answers).map(([status, description]): readonly [string, Schema] => {
    const isThing = status.startsWith('2') && status !== '204';
    const schema = gives === undefined ? {} : schemaOf(gives);
    return [status, { description, ...(isThing ? { content: { [giving]: { schema } } } : {}) }];
  });
  const problem = { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } };
  return { ...Object.fromEntries(given), default: { description: 'A problem.', content: problem } };
}

function pathParameters({ path }: Endpoint): readonly Schema[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

export function queryParameters({ query }: Endpoint): readonly Schema[] {
  if (query === undefined) return [];
  const { properties = {} } = schemaOf(query) as { readonly properties?: Record<string, Schema> };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function headerParameters({ headers = {} }: Endpoint): readonly Schema[] {
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  }));
}

export function schemaOf(shape: z.ZodType): Schema {
  const { $schema, ...schema } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' });
  void $schema;
  return schema;
}

/** What describes the others; it does not describe itself. */
export function descriptionOf(endpoints: readonly Endpoint[]): Endpoint {
  return endpoint({
    method: 'get',
    path: '/openapi.json',
    scope: null,
    summary: 'This description',
    answers: { 200: 'OpenAPI 3.1' },
    answer: async ({ premises: { version } }) => json(openApiOf(endpoints, version)),
  });
}
