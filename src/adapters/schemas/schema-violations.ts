/** The errors of a validator, in terms of the given value: where it is wrong and what was expected. */
import type { ErrorObject } from 'ajv/dist/2020.js';
import { givenText } from '../../foundation/given-value-text.ts';
import type { Violation } from '../../engine/schema-registry.ts';

const VIOLATIONS_MAX = 100;
const TEXT_MAX = 300;
const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

export function violationsOf(
  errors: readonly ErrorObject[],
  called: string,
): { readonly violations: readonly Violation[]; readonly more: number } {
  const listed = errors.slice(0, VIOLATIONS_MAX);
  return { violations: listed.map((error) => violationOf(error, called)), more: errors.length - listed.length };
}

export function tooDeep(called: string, max: number): Violation {
  const expected = `at most ${max} levels`;
  return { path: called, schemaPath: '', expected, says: `is nested deeper than ${max}` };
}

function violationOf(error: ErrorObject, called: string): Violation {
  return {
    path: short(pathOf(error, called)),
    schemaPath: short(error.schemaPath.replace(/^baton:\/\/schemas\//, '')),
    expected: short(expectedOf(error)),
    says: short(saysOf(error)),
  };
}

/** What is allowed and what was given; the path is already that of the property. */
function saysOf(error: ErrorObject): string {
  switch (error.keyword) {
    case 'required':
      return 'is missing';
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'false schema':
      return 'there is no such field here';
    default:
      return `${expectedOf(error)}, not ${givenText(error.data)}`;
  }
}

/** A property that is missing or not wanted is the place, not the object around it. */
function pathOf({ instancePath, params }: ErrorObject, called: string): string {
  const keys = instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const own: unknown =
    params['missingProperty'] ??
    params['additionalProperty'] ??
    params['unevaluatedProperty'] ??
    params['propertyName'];
  return [...keys, ...(typeof own === 'string' ? [own] : [])].reduce(below, called);
}

function below(path: string, key: string): string {
  if (/^(?:0|[1-9][0-9]*)$/.test(key)) return `${path}[${key}]`;
  return PLAIN_KEY.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

function expectedOf({ keyword, params, schema }: ErrorObject): string {
  const text = (name: string): string => String(params[name]);
  switch (keyword) {
    case 'type':
      return text('type').split(',').map((type) => TYPES[type] ?? type).join(' or ');
    case 'required':
      return `a property ${JSON.stringify(params['missingProperty'])}`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'no such property';
    case 'enum':
      return `one of ${(schema as readonly unknown[]).map(givenText).join(', ')}`;
    case 'const':
      return JSON.stringify(params['allowedValue']);
    case 'pattern':
      return `a text that matches ${text('pattern')}`;
    case 'format':
      return `a text of the form ${text('format')}`;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `${text('comparison')} ${text('limit')}`;
    case 'multipleOf':
      return `a multiple of ${text('multipleOf')}`;
    case 'uniqueItems':
      return 'each item once';
    case 'false schema':
      return 'nothing';
    case 'minLength':
      return `a text of at least ${text('limit')} characters`;
    case 'maxLength':
      return `a text of at most ${text('limit')} characters`;
    case 'minItems':
      return `a list of at least ${text('limit')}`;
    case 'maxItems':
      return `a list of at most ${text('limit')}`;
    default:
      return 'limit' in params ? `${keyword} ${text('limit')}` : keyword;
  }
}

function short(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}
