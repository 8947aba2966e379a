/** The description of what is served, made from the entries that serve it. */
import * as z from 'zod';
import { jsonSchemaOf } from '../../operations/json-schema.ts';
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
  const { summary, about, scope } = each;
  const body = bodySchemaOf(each);
  return {
    summary,
    ...(about === undefined ? {} : { description: about }),
    operationId: operationId(each),
    ...(scope === null ? { security: [] } : {}),
    parameters: [...pathParameters(each), ...queryParameters(each), ...headerParameters(each)],
    ...(body === null ? {} : { requestBody: { content: { 'application/json': { schema: body } }, required: false } }),
    responses: responsesOf(each),
  };
}

/** `postHandoffsIdCancel`: the same for as long as the path is. */
function operationId({ method, path }: Endpoint): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'api');
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function responsesOf({ answers, gives, giving = 'application/json' }: Endpoint): Schema {
  const problem = { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } };
  const given = Object.entries(answers).map(([status, description]): readonly [string, Schema] => {
    const isThing = status.startsWith('2') && status !== '204';
    const schema = gives === undefined ? {} : schemaOf(gives);
    const content = isThing ? { [giving]: { schema } } : Number(status) >= 400 ? problem : null;
    return [status, { description, ...(content === null ? {} : { content }) }];
  });
  return { ...Object.fromEntries(given), default: { description: 'A problem.', content: problem } };
}

function namesInPath({ path }: Endpoint): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function saidElsewhere(each: Endpoint): readonly string[] {
  return [...namesInPath(each), ...(each.operation?.route?.without ?? []), ...(each.without ?? [])];
}

/** What its body may hold; null: it has none. */
export function bodySchemaOf(each: Endpoint): Schema | null {
  const { operation, method, body } = each;
  if (operation !== undefined && method === 'post') return jsonSchemaOf(operation.input, saidElsewhere(each));
  return body === undefined ? null : schemaOf(body);
}

function querySchemaOf(each: Endpoint): Schema {
  const { operation, method, query } = each;
  if (operation !== undefined && method !== 'post') return jsonSchemaOf(operation.input, saidElsewhere(each));
  return query === undefined ? {} : schemaOf(query);
}

function pathParameters(each: Endpoint): readonly Schema[] {
  return namesInPath(each).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

export function queryParameters(each: Endpoint): readonly Schema[] {
  const { properties = {} } = querySchemaOf(each) as { readonly properties?: Record<string, Schema> };
  return Object.entries(properties).map(([name, { description, deprecated, ...schema }]) => ({
    name,
    in: 'query',
    ...(deprecated === undefined ? {} : { deprecated }),
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

function schemaOf(shape: z.ZodType): Schema {
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
    answer: async ({ serverContext: { version } }) => json(openApiOf(endpoints, version)),
  });
}
