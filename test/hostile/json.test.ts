import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JSON_BYTES_MAX, JSON_DEPTH_MAX, JSON_NODES_MAX } from '../../src/foundation/json.ts';
import { everythingIn } from '../crash/soundness.ts';
import { makeWorkspace, sqlite } from '../cli/workspaces.ts';
import { askEach, refused } from './answers.ts';

const SEND = ['send', '--from', 'me', '--to', 'react', '--input'];

interface Malformed {
  readonly text: string;
  /** Line and column, then the reason. */
  readonly says: string;
}

const MALFORMED: readonly Malformed[] = [
  { text: '{"a":', says: '1:6: the text ends where a value should stand' },
  { text: '{\n  "a": 1,\n  "b" 2\n}', says: '3:7: "2" where ":" should stand' },
  { text: '{"a":1} {"b":2}', says: '1:9: more text after the end of the JSON value' },
  { text: '[1,\n2,\n]', says: '3:1: "]" where a value should stand' },
  { text: '{"a":1,}', says: '1:8: "}" where a key in double quotes should stand' },
  { text: "{'a':1}", says: '1:2: "\'" where a key in double quotes should stand' },
  { text: '{"a":NaN}', says: '1:6: NaN, Infinity and undefined are not JSON' },
  { text: '{"a":-Infinity}', says: '1:6: NaN, Infinity and undefined are not JSON' },
  { text: '{"a":1e999}', says: '1:6: a number that is too large' },
  { text: '{"a":123456789012345678901}', says: '1:6: a whole number with more digits than can be kept' },
  { text: '{"a":01}', says: '1:7: "1" where "," or "}" should stand' },
  { text: '{"a":1,"b":2,"a":3}', says: '1:14: the key "a" stands here twice' },
  { text: '{"a":1,"\\u0061":3}', says: '1:8: the key "a" stands here twice' },
  { text: '{"__proto__":{"admin":1}}', says: '1:2: the key "__proto__" is not allowed' },
  { text: '{"a":{"constructor":1}}', says: '1:7: the key "constructor" is not allowed' },
  { text: '{"\\u005f_proto__":1}', says: '1:2: the key "__proto__" is not allowed' },
  { text: '{"a":"\\u0000"}', says: '1:6: the character U+0000 in a text' },
  { text: '{"a":"\\ud800"}', says: '1:6: half of a surrogate pair in a text' },
  { text: '{"a":"line\nbreak"}', says: '1:11: a control character (or line end) inside a text' },
  { text: '{"a":"\\x41"}', says: '1:7: a backslash with an unknown letter after it' },
  { text: '[[', says: '1:3: the text ends where a value should stand' },
  { text: '['.repeat(100_000), says: `1:${JSON_DEPTH_MAX + 2}: nested deeper than ${JSON_DEPTH_MAX}` },
  { text: `[${'1,'.repeat(JSON_NODES_MAX)}1]`, says: `more than ${JSON_NODES_MAX} values` },
];
/** Linux takes no more than this in one argument. */
const ARGUMENT_MAX = 120_000;

describe('input that is not JSON', () => {
  it('I4, F9: is refused with line and column, from the argument, a file and standard input alike', async () => {
    const { run, folder, open } = await makeWorkspace(sqlite);
    const short = MALFORMED.filter(({ text }) => text.length < ARGUMENT_MAX);
    for (const { question, answer } of await askEach(short, ({ text }) => run([...SEND, text]))) {
      expect(answer).toEqual(refused(5, `--input:${question.says}`));
    }
    const numbered = MALFORMED.map((each, index) => ({ ...each, file: `${index}.json` }));
    for (const { file, text } of numbered) writeFileSync(join(folder, file), text);
    for (const { question, answer } of await askEach(numbered, ({ file }) => run([...SEND, file]))) {
      expect(answer).toEqual(refused(5, question.says));
      expect(answer.stderr).toContain(`${question.file}:`);
    }
    const piped = await askEach(MALFORMED, ({ text }) => run([...SEND, '-'], { input: Buffer.from(text) }));
    for (const { question, answer } of piped) {
      expect(answer).toEqual(refused(5, question.says));
      expect(answer.stderr).toContain('standard input:');
    }
    const ctx = await open();
    expect((await everythingIn(ctx.store)).handoffs.size).toBe(0);
  });

  it('is refused when it is not UTF-8, or more than a mebibyte', async () => {
    const { run, folder } = await makeWorkspace(sqlite);
    const notText = [
      Buffer.from([0x22, 0xff, 0x22]),
      Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
      Buffer.from([0xed, 0xa0, 0x80]),
    ];
    for (const [index, bytes] of notText.entries()) {
      writeFileSync(join(folder, `${index}.bin`), bytes);
      expect(await run([...SEND, `${index}.bin`])).toEqual(refused(5, 'the input is not UTF-8 text'));
      expect(await run([...SEND, '-'], { input: bytes })).toEqual(refused(5, 'the input is not UTF-8 text'));
    }
    const large = Buffer.from(JSON.stringify('x'.repeat(2 * JSON_BYTES_MAX)));
    const says = `the input has ${large.length} bytes, at most ${JSON_BYTES_MAX} are taken`;
    writeFileSync(join(folder, 'large.json'), large);
    expect(await run([...SEND, 'large.json'])).toEqual(refused(5, says));
    expect(await run([...SEND, '-'], { input: large })).toEqual(refused(5, says));
  });

  it('is refused when the file is missing, a folder, or nothing at all', async () => {
    const { run, folder } = await makeWorkspace(sqlite);
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'empty'), '');
    expect(await run([...SEND, 'missing.json'])).toEqual(refused(5, 'cannot read "missing.json": ENOENT'));
    expect(await run([...SEND, 'folder'])).toEqual(refused(5, 'cannot read "folder": EISDIR'));
    expect(await run([...SEND, 'empty'])).toEqual(refused(5, 'empty:1:1: the text ends where a value should stand'));
    expect(await run([...SEND, '-'])).toEqual(
      refused(5, 'standard input:1:1: the text ends where a value should stand'),
    );
    expect(await run([...SEND, ''])).toEqual(refused(5, 'cannot read ""'));
  });
});

describe('input that is unusual', () => {
  it('F9: is taken as it is: marks, line ends, depth, emptiness and every plain value', async () => {
    const { run, start } = await makeWorkspace(sqlite);
    const deepest = `${'['.repeat(JSON_DEPTH_MAX)}${']'.repeat(JSON_DEPTH_MAX)}`;
    const plain = ['null', 'true', '0', '-1.5e-3', '""', '[]', '{"":{}}', deepest, '"\\ud83d\\ude00"'];
    const odd = [' {"a" :\r\n1 } ', '\uFEFF{"a":1}\r\n', `"${'x'.repeat(JSON_BYTES_MAX - 200)}"`];
    start(['work', 'react', '--', 'true']);
    const send = [...SEND, '-', '--wait', '--json'];
    const asked = await askEach([...plain, ...odd], (text) => run(send, { input: Buffer.from(text) }));
    for (const { question, answer } of asked) {
      expect([answer.code, answer.stderr]).toEqual([0, '']);
      const input = JSON.parse(question.replace('\uFEFF', '')) as unknown;
      expect(JSON.parse(answer.stdout)).toMatchObject({ input });
    }
  });
});
