/** A field that is added to the list of the sender's fields is treated like the others, without being named again. */
import { describe, expect, it } from 'vitest';
import { erasedRecord } from '../../src/domain/erasure.ts';
import { appendFact } from '../../src/domain/facts.ts';
import { SENDER_FIELDS, SENDER_TEXTS, senderFieldsOf, type Handoff } from '../../src/domain/handoff.ts';
import { create } from '../../src/domain/moves/create.ts';
import { flawOfTexts } from '../../src/domain/record-values.ts';
import { flawOfSeals } from '../../src/domain/seal.ts';
import { aHandoff, T0, valueOf } from './a-handoff.ts';

const BODY = '{"input":null}';
const GIVEN = { priority: 'high', ...Object.fromEntries(SENDER_TEXTS.map((name) => [name, `some ${name}`])) } as const;

function sent(): Handoff {
  return valueOf(create({ ...aHandoff('offered'), ...senderFieldsOf(GIVEN), as: 'offer' }, new Map(), T0));
}

describe('the fields of the sender', () => {
  it.each(SENDER_FIELDS)('%s goes into the record as it was given', (name) => {
    expect(sent()[name]).toBe((GIVEN as Partial<Handoff>)[name]);
  });

  it.each(SENDER_FIELDS)('%s is sealed', (name) => {
    const { handoff, fact } = appendFact(null, sent(), 'create', '@sender', T0, null, BODY);
    expect(flawOfSeals(handoff, [fact], BODY)).toBeNull();
    const other = name === 'priority' ? 'low' : 'another';
    expect(flawOfSeals({ ...handoff, [name]: other }, [fact], BODY)).not.toBeNull();
    expect(flawOfSeals({ ...handoff, ...senderFieldsOf({ ...handoff, [name]: null }) }, [fact], BODY)).not.toBeNull();
  });

  it.each(SENDER_TEXTS)('%s is refused where no database can keep it', (name) => {
    expect(flawOfTexts(sent())).toBeNull();
    expect(flawOfTexts({ ...sent(), [name]: 'half of a pair: \uD800' })).toMatchObject({ field: name });
  });

  it.each(SENDER_TEXTS)('%s is erased, except for the task: others refer to it', (name) => {
    expect(erasedRecord(sent())[name]).toBe(name === 'task' ? 'some task' : null);
  });
});
