/** The written types of the library's methods say what the operations take and answer; the compiler is the judge. */
import { expect, expectTypeOf, it } from 'vitest';
import type { JsonObject } from '../../src/foundation/json.ts';
import type { GivenInput } from '../../src/operations/field.ts';
import { OPERATIONS } from '../../src/operations/index.ts';
import type { Defined, ResultName } from '../../src/operations/operation.ts';
import type { Methods } from '../../src/interfaces/library/methods.ts';
import type { CallOptions } from '../../src/interfaces/library/results.ts';

type Table = typeof OPERATIONS;
type Flat<Thing> = { [Key in keyof Thing]: Thing[Key] };

/** The last parameter of a method, without what every call takes. */
type Written<Name extends keyof Table> =
  Required<Parameters<Methods[Name]>> extends readonly [...unknown[], infer Options]
    ? Flat<Omit<Options, keyof CallOptions>>
    : never;

type Described<O> =
  O extends Defined<infer F, ResultName, infer Subject> ? Flat<GivenInput<Omit<F, Subject & keyof F>>> : never;

type AllWritten = { [Name in keyof Table]: Written<Name> };
type AllDescribed = { [Name in keyof Table]: Described<Table[Name]> };

it('every operation is a method that takes what the operation takes', () => {
  expectTypeOf<keyof Methods>().toEqualTypeOf<keyof Table>();
  expectTypeOf<AllWritten>().branded.toEqualTypeOf<AllDescribed>();
  expectTypeOf<Awaited<ReturnType<Methods['report']>>>().toEqualTypeOf<JsonObject>();
  expect(Object.keys(OPERATIONS)).toContain('send');
});
