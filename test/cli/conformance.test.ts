import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { howToGet, needComponent } from '../support/components.ts';
import { quickBaton, tempFolder } from '../support/processes.ts';

let interpreter: string | null = null;

beforeAll(async () => {
  interpreter = await needComponent('python3');
});

/** Everything that programs in this folder have ever got wrong. */
const CARELESS = `
import json, os, sys, time
what, *args = sys.argv[1:]
def write(path, text):
    with open(path, 'w') as file:
        file.write(text[:40]); file.flush(); time.sleep(0.25); file.write(text[40:])
if what == 'send':
    write('handoffs/pending/same.json', json.dumps({'handoff_id': 'same', 'source': 'a', 'target': args[1], 'input': {'data': json.loads(args[2])}}))
    print('same')
elif what == 'work':
    for name in os.listdir('handoffs/pending'):
        request = json.load(open('handoffs/pending/' + name))
        os.rename('handoffs/pending/' + name, 'handoffs/in-progress/' + name)
        os.rename('handoffs/in-progress/' + name, 'handoffs/completed/' + name)
        write('handoffs/completed/' + name, json.dumps({'status': 'completed', 'output': {'words': 2}}))
else:
    while not os.path.exists('handoffs/completed/' + args[0] + '.json'):
        if os.path.exists('handoffs/failed/' + args[0] + '.json'):
            sys.exit(0)
        time.sleep(0.02)
    print(open('handoffs/completed/' + args[0] + '.json').read())
`;

it('Q3, Q4, Q16: a careless program is told what it does wrong, and nothing of the workspace is touched', async ({
  skip,
}) => {
  if (interpreter === null) return skip(howToGet('python3'));
  const folder = tempFolder();
  writeFileSync(join(folder, 'careless.py'), CARELESS);
  const tried = await quickBaton(['conformance', 'queue', '--json', '--', interpreter, 'careless.py'], { cwd: folder });
  const { ok, results } = JSON.parse(tried.stdout) as {
    ok: boolean;
    results: readonly { role: string; name: string; verdict: string }[];
  };
  expect([tried.code, ok]).toEqual([1, false]);
  const found = results.filter(({ verdict }) => verdict !== 'ok').map(({ role, name }) => `${role} ${name}`);
  for (const expected of [
    'send whole files',
    'send ids',
    'work answer',
    'work others',
    'work whole answers',
    'wait failure',
    'wait refusal',
    'wait moved first',
    'wait half a file',
  ]) {
    expect(found).toContain(expected);
  }
});

it('says how it is used', async () => {
  const folder = tempFolder();
  const without = await quickBaton(['conformance', 'queue'], { cwd: folder });
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('needs a command after --') as string]);
  const unknown = await quickBaton(['conformance', 'queue', '--', './nothing-there'], { cwd: folder });
  expect(unknown.stderr).toContain('cannot find the command');
});
