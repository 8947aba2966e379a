/**
 * The type of an endpoint. The server answers by these entries, and the published description is made from them, so the two
 * cannot differ.
 */
import { printExact } from '../../foundation/exact-json.ts';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type * as z from 'zod';
import { readJson } from '../../foundation/json.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Caller } from './caller.ts';
import { BODY_BYTES_MAX } from './request-guard.ts';
import type { ServerContext } from './server-context.ts';
import { httpProblem } from './problem.ts';
import { issueText } from '../../formats/issue-text.ts';

export interface Endpoint {
  readonly method: 'get' | 'post' | 'delete';
  /** `/api/handoffs/{id}` */
  readonly path: string;
  /** Null: everybody may ask, without a token. */
  readonly scope: 'read' | 'write' | null;
  readonly operatorOnly?: true;
  readonly summary: string;
  readonly about?: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Instead of `query` and `body`: the operation, whose fields come in the path and in the query or the body. */
  readonly operation?: Operation;
  /** Fields of the operation that this endpoint does not take. */
  readonly without?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** What each status means. Problems need not be listed. */
  readonly answers: Readonly<Record<number, string>>;
  /** The shape of a successful answer. */
  readonly responseShape?: z.ZodType;
  /** Its media type. @default application/json */
  readonly responseType?: string;
  answer(asked: RouteRequest): Promise<Response>;
}

export type HttpContext = Context<{ Bindings: HttpBindings }>;

export interface RouteRequest {
  readonly serverContext: ServerContext;
  readonly c: HttpContext;
  readonly port: number;
  /** Reading its principal is a fault where `scope` is null. */
  readonly caller: Caller;
  readonly query: unknown;
  readonly body: unknown;
}

interface Typed<Query, Body> extends Omit<RouteRequest, 'query' | 'body'> {
  readonly query: Query;
  readonly body: Body;
}

interface Written<Query extends z.ZodType, Body extends z.ZodType> extends Omit<Endpoint, 'query' | 'body' | 'answer'> {
  readonly query?: Query;
  readonly body?: Body;
  answer(asked: Typed<z.output<Query>, z.output<Body>>): Promise<Response>;
}

/** Types the query and the body of an answer by the shapes of the endpoint. */
export function endpoint<Query extends z.ZodType = z.ZodUndefined, Body extends z.ZodType = z.ZodUndefined>(
  written: Written<Query, Body>,
): Endpoint {
  return written;
}

/** The fields of the path with those of the query or the body, unread: the operation reads them. */
export async function givenTo({ method, path }: Endpoint, c: HttpContext): Promise<Readonly<Record<string, unknown>>> {
  const inPath = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, c.req.param(name)]));
  const body = method === 'post' ? await jsonBody(c) : queryOf(c);
  if (method === 'post') readQuery(undefined, c);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw httpProblem('bad-request', 'the body has to be a JSON object');
  }
  const twice = Object.keys(inPath).find((name) => name in body);
  if (twice !== undefined) throw httpProblem('bad-request', `${twice}: already given in the path`);
  return { ...body, ...inPath };
}

/** A parameter that is given several times is a list, and `state` is one in every case. */
function queryOf(c: HttpContext): Readonly<Record<string, string | readonly string[]>> {
  const entries = Object.entries(c.req.queries()).map(([name, values]) => {
    return [name, name === 'state' || values.length > 1 ? values : (values[0] ?? '')] as const;
  });
  return Object.fromEntries(entries);
}

/** Refuses unknown parameters: ignoring a misspelled filter would answer too much. */
export function readQuery(shape: z.ZodType | undefined, c: HttpContext): unknown {
  const given = queryOf(c);
  if (shape !== undefined) return parsed(shape, given);
  const [name] = Object.keys(given);
  if (name === undefined) return undefined;
  throw httpProblem('bad-request', `${name}: there is no such parameter here`);
}

export async function readBody(shape: z.ZodType | undefined, c: HttpContext): Promise<unknown> {
  if (shape !== undefined) return parsed(shape, await jsonBody(c));
  await bodyText(c.req.raw.body);
  return undefined;
}

async function jsonBody(c: HttpContext): Promise<unknown> {
  const text = await bodyText(c.req.raw.body);
  if (text.trim() === '') return {};
  const read = readJson(text);
  if (read.ok) return read.value.value;
  const { says, line, column } = read.refusal;
  throw httpProblem('not-json', `${line}:${column}: ${says}`, { line, column });
}

async function bodyText(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) {
      throw httpProblem('body-too-large', `the body has more than ${BODY_BYTES_MAX} bytes`);
    }
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw httpProblem('not-json', 'the body is not UTF-8 text');
  }
}

function parsed(shape: z.ZodType, value: unknown): unknown {
  const read = shape.safeParse(value, { error: issueText });
  if (read.success) return read.data;
  const issues = read.error.issues.slice(0, ISSUES_MAX).map(({ path, message }) => ({
    field: path.map(String).join('.'),
    says: message,
  }));
  const says = issues.map(({ field, says: what }) => (field === '' ? what : `${field}: ${what}`)).join('; ');
  throw httpProblem('bad-request', says, { issues });
}

/** Issues in one answer; a request with a thousand wrong fields needs no longer one. */
const ISSUES_MAX = 20;

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(printExact(value), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  });
}
