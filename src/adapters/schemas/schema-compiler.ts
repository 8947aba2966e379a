/**
 * Turns schema files into a judge of values. Loaded only when a schema is asked for: the validator is heavy.
 *
 * Schemas and values come from different people, and both may be hostile. So patterns run in linear time, whole values are
 * compared by one canonical text instead of pair by pair, and one judgement has a budget of steps.
 */
import { messageOf } from '../../foundation/error-message.ts';
import { canonicalJson } from '../../foundation/canonical-json.ts';
import { roundIntegers } from '../../foundation/exact-json.ts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { orNull } from '../../foundation/or-null.ts';
import { assert, present } from '../../foundation/assert.ts';
import { JSON_DEPTH_MAX, type Json, type JsonObject } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Broken, CompiledSchema, Judgement } from './open-schema-registry.ts';
import { addressOf, loadSchemas, rebuilt, type LoadedSchema } from './schema-files.ts';
import { tooDeep, violationsOf } from './schema-violations.ts';

/** A value of the largest size passes through a schema of ordinary shape with far fewer calls of its functions. */
const STEPS_MAX = 2_000_000;
const SAYS_MAX = 500;

export async function compileSchema(
  folder: string,
  file: string,
): Promise<Result<{ readonly schema: CompiledSchema; readonly marks: string }, Broken>> {
  const loaded = await loadSchemas(folder, file);
  if (!loaded.ok) return loaded;
  const compiled = compile(file, loaded.value);
  if (!compiled.ok) return compiled;
  const schema = { ...compiled.value, files: loaded.value.map((each) => each.file) };
  return ok({ schema, marks: loaded.value.map(({ mark }) => mark).join('\n') });
}

function compile(file: string, loaded: readonly LoadedSchema[]): Result<CompiledSchema, Broken> {
  const budget = newBudget();
  const validate = validatorOf(loaded, budget);
  if (!validate.ok) return err({ file, says: validate.refusal });
  return ok({ files: [], judge: (value, called) => judge(validate.value, budget, file, value, called) });
}

/** One self-contained document: the files that the schema refers to are inside of it. */
export async function wholeSchema(folder: string, file: string): Promise<JsonObject | null> {
  const loaded = await loadSchemas(folder, file);
  if (!loaded.ok) return null;
  const places = new Map(loaded.value.map(({ file: each }, at) => [addressOf(each), at === 0 ? '#' : `#/$defs/${each}`]));
  const moved = (value: Json): Json => {
    const [address = '', fragment = ''] = typeof value === 'string' ? value.split('#') : [];
    const place = places.get(address);
    return place === undefined ? value : `${place}${fragment}`;
  };
  const [first, ...others] = loaded.value.map(({ file: each, schema }) => [
    each,
    rebuilt(schema, (at) => ('$ref' in at ? { ...at, $ref: moved(at['$ref'] ?? null) } : at)),
  ]) as [string, JsonObject | boolean][];
  const [, own = false] = first ?? [];
  if (typeof own === 'boolean') return own ? {} : { not: {} };
  const inside = Object.fromEntries(others);
  return others.length === 0 ? own : { ...own, $defs: { ...(own['$defs'] as JsonObject | undefined), ...inside } };
}

/** A self-contained schema; references to other files fail. `name` stands in messages. */
export function compileGiven(name: string, schema: JsonObject): Result<CompiledSchema, Broken> {
  return compile(name, [{ file: name, schema: { ...schema, $id: addressOf(name) }, mark: '' }]);
}

/**
 * The part of a schema that everybody can check: validators disagree on formats, and patterns that may take exponential
 * time are left out.
 */
export function linearSchema(schema: JsonObject): JsonObject {
  const isKept = ([key, value]: readonly [string, Json]): boolean =>
    !LEFT_OUT.has(key) && (key !== 'pattern' || typeof value !== 'string' || orNull(() => linearPattern(value)) !== null);
  return rebuilt(schema, (at) => Object.fromEntries(Object.entries(at).filter(isKept))) as JsonObject;
}

const LEFT_OUT = new Set(['$schema', '$id', 'format']);

function judge(
  validate: ValidateFunction,
  budget: Budget,
  file: string,
  value: Json,
  called: string,
): Result<true, Judgement> {
  if (isDeeperThan(value, JSON_DEPTH_MAX)) return err({ violations: [tooDeep(called, JSON_DEPTH_MAX)], more: 0 });
  budget.renew();
  try {
    return validate(roundIntegers(value)) ? ok(true) : err(violationsOf(validate.errors ?? [], called));
  } catch (error) {
    // The value is shallow, so only a circle of references fills the stack.
    if (error instanceof RangeError) return err({ file, says: 'its references lead in a circle' });
    if (error instanceof OutOfSteps) return err({ file, says: error.message });
    throw error;
  }
}

function validatorOf(loaded: readonly LoadedSchema[], budget: Budget): Result<ValidateFunction, string> {
  try {
    const ajv = newValidator(budget);
    for (const { file, schema } of loaded) ajv.addSchema(schema, addressOf(file));
    const first = present(loaded[0], 'the schema asked for was loaded');
    const validate = present(ajv.getSchema(addressOf(first.file)), 'what was added is there');
    if ('$async' in validate) return err('"$async" is not part of JSON Schema');
    return ok(validate);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof RangeError) return err('its references lead in a circle');
    return err(error.message.replaceAll('baton://schemas/', '').slice(0, SAYS_MAX));
  }
}

function newValidator(budget: Budget): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strictSchema: true,
    strictNumbers: true,
    strictTypes: false,
    strictTuples: false,
    ownProperties: true,
    logger: false,
    code: { regExp: linearPattern, process: (code) => countingSteps(code) },
  });
  addFormats.default(ajv);
  Object.assign(ajv, { [SPEND]: () => budget.spend() });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    compile: (wanted: boolean) => (items: readonly Json[]) =>
      !wanted || new Set(items.map(canonicalJson)).size === items.length,
    error: { message: 'must not hold the same item twice' },
  });
  ajv.removeKeyword('enum');
  ajv.addKeyword({
    keyword: 'enum',
    schemaType: 'array',
    compile: (allowed: readonly Json[]) => {
      const known = new Set(allowed.map(canonicalJson));
      return (value: Json) => known.has(canonicalJson(value));
    },
    error: { message: 'must be one of the allowed values' },
  });
  return ajv;
}

/** The validator keeps patterns by their text, so two patterns must not have the same one. */
function linearPattern(pattern: string): { test: (text: string) => boolean; toString: () => string } {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`the pattern ${JSON.stringify(pattern)} cannot be used (${reason}); write it without lookaround`, {
      cause: error,
    });
  }
  return { test: (text) => compiled.test(text), toString: () => `/${pattern}/` };
}
linearPattern.code = 'linearPattern';

const SPEND = 'batonSpend';
const BEGINNING = /return (?:async )?function validate\d+\(data, \{[^)]*\}\s*=\s*\{\}\)\{/;

/** Each function of a schema counts its calls: schemas that refer to each other twice double the work at every level. */
function countingSteps(code: string): string {
  const counted = code.replace(BEGINNING, (beginning) => `${beginning}self.${SPEND}();`);
  assert(counted !== code, 'a validator begins as this version of its maker writes it');
  return counted;
}

class OutOfSteps extends Error {}

type Budget = ReturnType<typeof newBudget>;

function newBudget() {
  let left = STEPS_MAX;
  return {
    renew: () => {
      left = STEPS_MAX;
    },
    spend: () => {
      left -= 1;
      if (left < 0) throw new OutOfSteps(`judging took more than ${STEPS_MAX} steps; make its references simpler`);
    },
  };
}

function isDeeperThan(value: Json, max: number): boolean {
  let level: readonly Json[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > max + 1) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}
