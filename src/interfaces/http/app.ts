/** Everything that the server answers: endpoints by their entries, then pages. */
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { compressed } from './compression.ts';
import { callerOf, Denied, mustBeOperator, type Caller } from './caller.ts';
import { addressOf } from './connections.ts';
import { givenTo, readBody, readQuery, type Endpoint, type HttpContext } from './contract.ts';
import { stackOf } from '../../foundation/error-message.ts';
import { principalText } from '../../domain/principal.ts';
import { docsPage } from './docs-page.ts';
import { descriptionOf } from './openapi.ts';
import { builtInPage, unbuiltPage } from './built-in-pages.ts';
import type { ServerContext } from './server-context.ts';
import { asProblem, faultFor, httpProblem, problemResponse, HttpProblem } from './problem.ts';
import { AGENT_ROUTES } from './routes/agents.ts';
import { BATCH_ROUTES } from './routes/batch.ts';
import { EVIDENCE_ROUTES } from './routes/evidence.ts';
import { EVENT_ROUTES } from './routes/events.ts';
import { OVERVIEW_ROUTES } from './routes/overview.ts';
import { CLEAR_INBOX, ONE_WORKFLOW } from './routes/operation-variants.ts';
import { OPERATION_ROUTES } from './routes/operations.ts';
import { SERVER_ROUTES } from './routes/server.ts';
import { SESSION_ROUTES } from './routes/session.ts';
import { TOKEN_ROUTES } from './routes/tokens.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { staticFile } from './static-files.ts';

/** In the order of the published description. */
export const DESCRIBED: readonly Endpoint[] = [
  ...OPERATION_ROUTES,
  ...EVIDENCE_ROUTES,
  ...BATCH_ROUTES,
  CLEAR_INBOX,
  ...EVENT_ROUTES,
  ONE_WORKFLOW,
  ...OVERVIEW_ROUTES,
  ...AGENT_ROUTES,
  ...SESSION_ROUTES,
  ...TOKEN_ROUTES,
  ...SERVER_ROUTES,
];
const ENDPOINTS = [...DESCRIBED, descriptionOf(DESCRIBED)];

export type App = Hono<{ Bindings: HttpBindings }>;

export function appOf(serverContext: ServerContext, port: number): App {
  const app: App = new Hono();
  for (const each of ENDPOINTS) {
    for (const path of pathsOf(each.path)) {
      app.on(each.method.toUpperCase(), path, (c) => secured(c, answerTo(each, serverContext, c, port)));
    }
  }
  const paths = new Set(ENDPOINTS.map(({ path }) => path));
  for (const path of paths) {
    for (const spelled of pathsOf(path)) app.all(spelled, (c) => secured(c, wrongMethod(c, path)));
  }
  app.all(MCP_PATH, (c) => secured(c, mcpAnswer(serverContext, c, port)));
  app.all('*', (c) => secured(c, pageFor(serverContext, c)));
  app.onError(async (error, c) => problemResponse(problemIn(error, serverContext, c.req.path, null)));
  return app;
}

/** The path as Hono writes it. Every path below `/api` exists below `/api/v1` too. */
function pathsOf(path: string): readonly string[] {
  const spelled = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return spelled.startsWith('/api/') ? [spelled, spelled.replace('/api/', '/api/v1/')] : [spelled];
}

async function answerTo(each: Endpoint, serverContext: ServerContext, c: HttpContext, port: number): Promise<Response> {
  return answerCaller(serverContext, c, port, each.scope, async (caller) => {
    const isRead = each.operation === undefined;
    const query = isRead ? readQuery(each.query, c) : undefined;
    const body = isRead ? await readBody(each.body, c) : await givenTo(each, c);
    if (each.operatorOnly === true) mustBeOperator(caller);
    return each.answer({ serverContext, c, port, caller, query, body });
  });
}

const MCP_PATH = '/mcp';

/** The protocol reads the request itself; callers, limits and the log of denials are those of every endpoint. */
async function mcpAnswer(serverContext: ServerContext, c: HttpContext, port: number): Promise<Response> {
  return answerCaller(serverContext, c, port, 'write', ({ principal }) => serverContext.mcp(c.req.raw, principal));
}

/** Finds out who asks and answers; what goes wrong is answered as a problem, and a denial is logged. */
async function answerCaller(
  serverContext: ServerContext,
  c: HttpContext,
  port: number,
  scope: Endpoint['scope'],
  answer: (caller: Caller) => Promise<Response>,
): Promise<Response> {
  let caller: Caller | null = null;
  try {
    if (serverContext.stopping.aborted) throw httpProblem('stopping', 'this server is stopping');
    caller = scope === null ? NOBODY : await callerOf(serverContext, c.req.raw.headers, port, scope);
    if (scope !== null) requireCapacity(serverContext, c, caller);
    return await answer(caller);
  } catch (error) {
    const problem = problemIn(error, serverContext, c.req.path, caller);
    if (problem.status === 401 || problem.status === 403) noteDenial(problem, serverContext, c, caller);
    return problemResponse(problem);
  }
}

/** A connection beyond the limit serves operators only. No token may ask faster than its limit. */
function requireCapacity({ capacity }: ServerContext, c: HttpContext, caller: Caller): void {
  capacity.request(caller);
  if (caller.principal.kind === 'operator' || !capacity.connections.isReserved(c.env.incoming.socket)) return;
  throw httpProblem('too-many-clients', 'this server has no free connection left; try again in a moment');
}

function noteDenial(problem: HttpProblem, { denials }: ServerContext, c: HttpContext, caller: Caller | null): void {
  const known = caller === null || caller === NOBODY ? null : caller;
  denials.note({
    token: known === null ? (problem instanceof Denied ? problem.token : null) : known.token,
    by: known === null ? 'unknown' : principalText(known.principal),
    code: problem.code,
    status: problem.status,
    method: c.req.method,
    path: c.req.path,
    address: addressOf(c.env.incoming.socket),
  });
}

/** A fault is logged in full under a number, and its answer names that number. */
function problemIn(error: unknown, { log, ctx }: ServerContext, path: string, caller: Caller | null): HttpProblem {
  const problem = asProblem(error);
  if (problem.code !== 'fault') return problem;
  const incident = `inc-${Buffer.from(ctx.random.bytes(6)).toString('hex')}`;
  log.error({ incident, error: stackOf(problem.cause ?? problem), path }, 'a request failed');
  // A message that a route has written itself may be read by everybody.
  const isShown = error instanceof HttpProblem || isOperator(caller);
  return faultFor(isShown ? 'all' : 'number', problem, incident);
}

function isOperator(caller: Caller | null): boolean {
  return caller !== null && caller !== NOBODY && caller.principal.kind === 'operator';
}

/** Endpoints without a scope serve everybody and must not ask who the caller is. */
const NOBODY: Caller = {
  get principal(): never {
    throw new Error('this endpoint does not identify its caller');
  },
  name: 'nobody',
  token: null,
  csrf: null,
  scopes: [],
  isStillValid: async () => false,
};

async function wrongMethod(c: HttpContext, path: string): Promise<Response> {
  const methods = ENDPOINTS.filter((each) => each.path === path).map(({ method }) => method.toUpperCase());
  const answer = problemResponse(
    httpProblem('method-not-allowed', `${c.req.method} is not allowed here: ${methods.join(', ')}`),
  );
  answer.headers.set('allow', methods.join(', '));
  return answer;
}

async function pageFor({ webFolder, version }: ServerContext, c: HttpContext): Promise<Response> {
  const { path, method } = c.req;
  const isReading = method === 'GET' || method === 'HEAD';
  if (!isReading || path.startsWith('/api/')) {
    return problemResponse(httpProblem('no-such-page', `nothing is at ${path}; see /docs`));
  }
  if (path === '/docs') return docsPage(DESCRIBED, version);
  const found = builtInPage(path) ?? (await staticFile(webFolder, path));
  if (found !== null) return found;
  return path === '/' ? unbuiltPage() : problemResponse(httpProblem('no-such-page', `nothing is at ${path}`));
}

async function secured(c: HttpContext, answering: Promise<Response>): Promise<Response> {
  const given = await answering;
  if (given === RESPONSE_ALREADY_SENT) return given;
  const answer = await compressed(given, c.req.path, c.req.header('accept-encoding'));
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) answer.headers.set(name, value);
  return answer;
}
