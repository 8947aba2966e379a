/** All that the server answers, put together: endpoints by their entries, then pages. */
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { callerOf, Denied, type Caller } from './caller.ts';
import { addressOf } from './connections.ts';
import { readBody, readQuery, type Endpoint, type HttpContext } from './contract.ts';
import { principalText } from '../../domain/principal.ts';
import { docsPage } from './docs-page.ts';
import { descriptionOf } from './openapi.ts';
import { ownPage, unbuiltPage } from './own-pages.ts';
import type { Premises } from './premises.ts';
import { asProblem, faultFor, httpProblem, problemResponse, HttpProblem } from './problem.ts';
import { ARTIFACTS } from './routes/artifacts.ts';
import { CLAIMS } from './routes/claims.ts';
import { EVENTS } from './routes/events.ts';
import { HANDOFFS } from './routes/handoffs.ts';
import { LOOKING_AROUND } from './routes/looking-around.ts';
import { MOVES } from './routes/moves.ts';
import { OPERATION } from './routes/operation.ts';
import { SESSION } from './routes/session.ts';
import { TELLING } from './routes/telling.ts';
import { TOKENS } from './routes/tokens.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { staticFile } from './static-files.ts';

/** In the order in which they are described. Rooms that come later add their list here. */
export const DESCRIBED: readonly Endpoint[] = [
  ...HANDOFFS,
  ...MOVES,
  ...CLAIMS,
  ...EVENTS,
  ...TELLING,
  ...ARTIFACTS,
  ...LOOKING_AROUND,
  ...SESSION,
  ...TOKENS,
  ...OPERATION,
];
const ENDPOINTS = [...DESCRIBED, descriptionOf(DESCRIBED)];

export type App = Hono<{ Bindings: HttpBindings }>;

export function appOf(premises: Premises, port: number): App {
  const app: App = new Hono();
  for (const each of ENDPOINTS) {
    app.on(each.method.toUpperCase(), each.path.replaceAll(/\{(\w+)\}/g, ':$1'), (c) =>
      secured(answerTo(each, premises, c, port)),
    );
  }
  const paths = new Set(ENDPOINTS.map(({ path }) => path));
  for (const path of paths) {
    app.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), (c) => secured(wrongMethod(c, path)));
  }
  app.all('*', (c) => secured(pageFor(premises, c)));
  app.onError(async (error, c) => problemResponse(problemIn(error, premises, c.req.path, null)));
  return app;
}

async function answerTo(each: Endpoint, premises: Premises, c: HttpContext, port: number): Promise<Response> {
  let caller: Caller | null = null;
  try {
    if (premises.stopping.aborted) throw httpProblem('stopping', 'this server is stopping');
    caller = each.scope === null ? NOBODY : await callerOf(premises, c.req.raw.headers, port, each.scope);
    if (each.scope !== null) mustHaveRoom(premises, c, caller);
    const query = readQuery(each.query, c);
    const body = await readBody(each.body, c);
    return await each.answer({ premises, c, port, caller, query, body });
  } catch (error) {
    const problem = problemIn(error, premises, c.req.path, caller);
    if (problem.status === 401 || problem.status === 403) noteDenial(problem, premises, c, caller);
    return problemResponse(problem);
  }
}

/** A connection beyond the limit is for operators; and nobody asks faster than allowed. */
function mustHaveRoom({ capacity }: Premises, c: HttpContext, caller: Caller): void {
  capacity.request(caller);
  if (caller.principal.kind === 'operator' || !capacity.connections.isReserved(c.env.incoming.socket)) return;
  throw httpProblem('too-many-clients', 'this server has no free connection left; try again in a moment');
}

function noteDenial(problem: HttpProblem, { denials }: Premises, c: HttpContext, caller: Caller | null): void {
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

/** A fault is logged in full, under a number that its answer names. */
function problemIn(error: unknown, { log, around }: Premises, path: string, caller: Caller | null): HttpProblem {
  const problem = asProblem(error);
  if (problem.code !== 'fault') return problem;
  const incident = `inc-${Buffer.from(around.random.bytes(6)).toString('hex')}`;
  log.error({ incident, error: describe(problem.cause ?? problem), path }, 'a request failed');
  // What a route says itself is meant to be read.
  const isShown = error instanceof HttpProblem || isOperator(caller);
  return faultFor(isShown ? 'all' : 'number', problem, incident);
}

function isOperator(caller: Caller | null): boolean {
  return caller !== null && caller !== NOBODY && caller.principal.kind === 'operator';
}

/** What is for everybody does not ask who it is. */
const NOBODY: Caller = {
  get principal(): never {
    throw new Error('nobody was asked who they are');
  },
  name: 'nobody',
  token: null,
  csrf: null,
  scopes: [],
  stillGood: async () => false,
};

async function wrongMethod(c: HttpContext, path: string): Promise<Response> {
  const methods = ENDPOINTS.filter((each) => each.path === path).map(({ method }) => method.toUpperCase());
  const answer = problemResponse(
    httpProblem('method-not-allowed', `${c.req.method} is not done here: ${methods.join(', ')}`),
  );
  answer.headers.set('allow', methods.join(', '));
  return answer;
}

async function pageFor({ webFolder, version }: Premises, c: HttpContext): Promise<Response> {
  const { path, method } = c.req;
  const isReading = method === 'GET' || method === 'HEAD';
  if (!isReading || path.startsWith('/api/')) {
    return problemResponse(httpProblem('no-such-page', `nothing is at ${path}; see /docs`));
  }
  if (path === '/docs') return docsPage(DESCRIBED, version);
  const found = ownPage(path) ?? (await staticFile(webFolder, path));
  if (found !== null) return found;
  return path === '/' ? unbuiltPage() : problemResponse(httpProblem('no-such-page', `nothing is at ${path}`));
}

async function secured(answering: Promise<Response>): Promise<Response> {
  const answer = await answering;
  if (answer === RESPONSE_ALREADY_SENT) return answer;
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) answer.headers.set(name, value);
  return answer;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
