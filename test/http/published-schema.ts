/**
 * Holds every JSON answer of a server under test against the published description: what OpenAPI says and what is
 * answered must not differ. Whoever asks with `fetch` is checked, whatever the test is about.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { DESCRIBED } from '../../src/interfaces/http/app.ts';
import { openApiOf } from '../../src/interfaces/http/openapi.ts';

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
type Operation = { readonly responses: Readonly<Record<string, Content>> };

const published = openApiOf(DESCRIBED, 'under test') as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
(addFormats as unknown as (to: Ajv2020) => void)(ajv);
const validators = new Map<object, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const made = ajv.compile(inlined(schema));
  validators.set(schema, made);
  return made;
}

/** Shapes with a name stand once, apart from their users. */
function inlined(schema: object): object {
  return { ...schema, components: published.components };
}

const OPERATIONS = Object.entries(published.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    operation,
  })),
);

/** What the answer says otherwise than the description; null: nothing, or the path is not described. */
export function differenceFromPublished(method: string, path: string, answer: Answered): string | null {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const found =
    OPERATIONS.find((each) => each.method === wanted && each.path === path) ??
    OPERATIONS.find((each) => each.method === wanted && each.pattern.test(path));
  if (found === undefined || method === 'HEAD') return null;
  const { responses } = found.operation;
  const response = responses[String(answer.status)] ?? responses['default'];
  const type = answer.type.split(';')[0]?.trim() ?? '';
  if (answer.status === 204 || answer.status === 304 || answer.text === '') return null;
  const schema = response?.content?.[type]?.schema;
  const where = `${method} ${found.path} → ${answer.status} ${type}`;
  if (schema === undefined) {
    const isOk = answer.status < 400;
    return isOk ? `${where}: this media type is not described` : `${where}: a problem of this form is not described`;
  }
  if (!type.endsWith('json')) return null;
  const validate = validatorOf(schema);
  if (validate(JSON.parse(answer.text))) return null;
  const says = (validate.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message ?? ''}`);
  return `${where}: ${says.join('; ')}\n${answer.text.slice(0, 1_000)}`;
}

interface Answered {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const watched = new Set<string>();

/** From now on answers of this server are checked, until the function that is returned is called. */
export function watchAnswersOf(url: string): () => void {
  const { host } = new URL(url);
  watched.add(host);
  return () => void watched.delete(host);
}

const plainFetch = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  const url = new URL(input instanceof Request ? input.url : input);
  const type = response.headers.get('content-type') ?? '';
  if (!watched.has(url.host) || !type.includes('json')) return response;
  const text = await response.clone().text();
  const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
  const difference = differenceFromPublished(method, url.pathname, { status: response.status, type, text });
  if (difference !== null) throw new Error(`not as published: ${difference}`);
  return response;
};
