/** The OpenAPI description, made from the endpoints. */
import * as z from 'zod';
import { jsonSchemaOf } from '../../operations/json-schema.ts';
import { ProblemShape } from '../shared/view-shapes.ts';
import { endpoint, json, type Endpoint } from './contract.ts';
import { PROBLEM_TYPE } from './problem.ts';

type Schema = Readonly<Record<string, unknown>>;

export function openApiOf(endpoints: readonly Endpoint[], version: string): Schema {
  const paths: Record<string, Record<string, unknown>> = {};
  const schemas: Record<string, Schema> = {};
  schemaOf(ProblemShape, schemas);
  for (const each of endpoints) {
    paths[each.path] = { ...paths[each.path], [each.method]: operationOf(each, schemas) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Baton',
      version,
      description:
        'Hands work from one agent to another and proves that it arrived. Every path below /api also exists below /api/v1; a wait ' +
        'that times out answers 200 there, and 408 below /api.',
    },
    security: [{ token: [] }, { session: [] }],
    tags: [...new Set(endpoints.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Created by `baton token new`.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'baton-PORT',
          description: 'From a login link; writes also need X-Baton-Csrf.',
        },
      },
      schemas,
    },
  };
}

function operationOf(each: Endpoint, schemas: Record<string, Schema>): Schema {
  const { summary, about, scope } = each;
  const body = bodySchemaOf(each);
  return {
    summary,
    ...(about === undefined ? {} : { description: about }),
    operationId: operationId(each),
    tags: [tagOf(each)],
    ...(scope === null ? { security: [] } : {}),
    parameters: [...pathParameters(each), ...queryParameters(each), ...headerParameters(each)],
    ...(body === null
      ? {}
      : { requestBody: { content: { 'application/json': { schema: body } }, required: isNeeded(body) } }),
    responses: responsesOf(each, schemas),
  };
}

/** An empty body stands for `{}`, so a body is required only where a field is. */
function isNeeded({ required }: Schema): boolean {
  return Array.isArray(required) && required.length > 0;
}

/** Operation ids that do not follow the rule `cancelHandoff`. */
const OPERATION_IDS: Readonly<Record<string, string>> = {
  'get /api/handoffs': 'listHandoffs',
  'get /api/handoffs/{id}/facts': 'listFacts',
  'get /api/handoffs/{id}/evidence': 'showEvidence',
  'get /api/handoffs/{id}/chain': 'showChain',
  'get /api/handoffs/{id}/wait': 'waitForHandoff',
  'get /api/status': 'showStatus',
  'get /api/ready/{agent}': 'listReady',
  'get /api/inbox/{agent}': 'readInbox',
  'delete /api/inbox/{agent}': 'clearInbox',
  'post /api/summaries': 'ingestSummaries',
  'get /api/workflows': 'listWorkflows',
  'get /api/workflows/{project}': 'showWorkflow',
  'get /api/report': 'showReport',
  'get /api/artifacts': 'findArtifacts',
  'get /api/artifacts/{id}': 'showArtifact',
  'post /api/artifacts': 'registerArtifact',
  'post /api/artifacts/clean': 'cleanArtifacts',
  'post /api/prune': 'pruneHandoffs',
  'post /api/batch': 'runBatch',
  'get /api/events': 'streamEvents',
  'get /api/agents': 'listAgents',
  'get /api/agents/{id}': 'showAgent',
  'post /api/agents/{id}/handoff': 'handOverAgent',
  'post /api/agents/{agent}/pause': 'pauseAgent',
  'post /api/agents/{agent}/resume': 'resumeAgent',
  'get /api/pauses': 'listPauses',
  'get /api/undelivered': 'listUndelivered',
  'post /api/undelivered/resend': 'resendUndelivered',
  'post /api/hooks/{event}': 'hearHook',
  'get /api/metrics-summary': 'showMetrics',
  'get /api/attention': 'showAttention',
  'get /api/totals': 'countHandoffs',
  'get /api/attempts': 'listAttempts',
  'get /api/quarantine': 'listQuarantine',
  'get /api/policy': 'showPolicy',
  'post /api/session': 'signIn',
  'get /api/session': 'showSession',
  'delete /api/session': 'signOut',
  'get /api/sessions': 'listSessions',
  'delete /api/sessions/{name}': 'endSession',
  'post /api/login-links': 'createLoginLink',
  'post /api/tokens': 'createToken',
  'get /api/tokens': 'listTokens',
  'delete /api/tokens/{id}': 'revokeToken',
  'get /api/token-log': 'listTokenLog',
  'post /api/schedules': 'addSchedule',
  'get /api/schedules': 'listSchedules',
  'post /api/schedules/{name}/remove': 'removeSchedule',
  'get /healthz': 'checkHealth',
  'get /metrics': 'readMetrics',
};

function operationId({ method, path, operation }: Endpoint): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'api');
  const plain = method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const isAboutOne = operation !== undefined && /^[a-z]+$/.test(operation.name);
  return OPERATION_IDS[`${method} ${path}`] ?? (isAboutOne ? `${operation.name}Handoff` : plain);
}

function tagOf({ path }: Endpoint): string {
  const [, word = 'server'] = /^\/api\/([a-z]+)/.exec(path) ?? [];
  return TAGS[word] ?? word;
}

const TAGS: Readonly<Record<string, string>> = {
  batch: 'handoffs',
  claims: 'handoffs',
  ready: 'handoffs',
  totals: 'handoffs',
  attention: 'overview',
  attempts: 'overview',
  metrics: 'overview',
  quarantine: 'overview',
  status: 'overview',
  report: 'workflows',
  summaries: 'workflows',
  hooks: 'agents',
  session: 'access',
  sessions: 'access',
  login: 'access',
  token: 'access',
  tokens: 'access',
};

/** The headers of answers with one handoff. */
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  handoff: ['ETag'],
  created: ['ETag', 'Location', 'Idempotency-Replayed'],
  claimed: ['ETag'],
  shown: ['ETag'],
  settled: ['ETag'],
};
const HEADER_WORDS: Readonly<Record<string, string>> = {
  ETag: 'Its revision, for If-Match and If-None-Match.',
  Location: 'Where the new handoff is.',
  'Idempotency-Replayed': '`true` where an earlier request with this key has made the handoff.',
};

function headersOf({ operation }: Endpoint): Schema {
  const names = HEADERS[operation?.result ?? ''] ?? [];
  return Object.fromEntries(
    names.map((name) => [name, { description: HEADER_WORDS[name], schema: { type: 'string' } }]),
  );
}

function responsesOf(each: Endpoint, schemas: Record<string, Schema>): Schema {
  const { answers, responseShape, responseType = 'application/json' } = each;
  const problem = { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } };
  const given = Object.entries(answers).map(([status, description]): readonly [string, Schema] => {
    const isThing = status.startsWith('2') && status !== '204';
    const schema = responseShape === undefined ? {} : schemaOf(responseShape, schemas);
    const content = isThing ? { [responseType]: { schema } } : Number(status) >= 400 ? problem : null;
    const headers = isThing ? headersOf(each) : {};
    const more = Object.keys(headers).length === 0 ? {} : { headers };
    return [status, { description, ...more, ...(content === null ? {} : { content }) }];
  });
  return { ...Object.fromEntries(given), default: { description: 'A problem.', content: problem } };
}

function namesInPath({ path }: Endpoint): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function fieldsElsewhere(each: Endpoint): readonly string[] {
  return [...namesInPath(each), ...(each.operation?.route?.without ?? []), ...(each.without ?? [])];
}

/** The schema of the body; null: there is none. */
export function bodySchemaOf(each: Endpoint): Schema | null {
  const { operation, method, body } = each;
  if (operation !== undefined && method === 'post') return jsonSchemaOf(operation.input, fieldsElsewhere(each));
  return body === undefined ? null : schemaOf(body);
}

function querySchemaOf(each: Endpoint): Schema {
  const { operation, method, query } = each;
  if (operation !== undefined && method !== 'post') return jsonSchemaOf(operation.input, fieldsElsewhere(each));
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

/** Shapes with a name become components, and other schemas refer to them. */
function schemaOf(shape: z.ZodType, components: Record<string, Schema> = {}): Schema {
  const { $schema, $defs = {}, ...schema } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' });
  void $schema;
  for (const [name, described] of Object.entries($defs)) components[name] = inComponents(described);
  return inComponents(schema);
}

function inComponents(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Schema;
}

/** The endpoint of the description, which is not described itself. */
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
