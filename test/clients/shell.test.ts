/** The shell client against a real server: sent, claimed, delivered and waited for, by a script that only has curl. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { served } from '../http/served.ts';
import { tempFolder } from '../support/processes.ts';
import { ROOT } from '../support/source-files.ts';

const SCRIPT = `set -eu
. "$1"
export BATON_TOKEN=$ME
sent=$(baton_send '{"to":"@worker","input":{"x":1}}' order-1)
again=$(baton_send '{"to":"@worker","input":{"x":1}}' order-1)
id=$(printf '%s' "$sent" | sed -n 's/^{"id":"\\([^"]*\\)".*/\\1/p')
[ "$id" = "$(printf '%s' "$again" | sed -n 's/^{"id":"\\([^"]*\\)".*/\\1/p')" ]
BATON_TOKEN=$WORKER
claimed=$(baton_claim 5)
case $claimed in *"$id"*) ;; *) exit 8 ;; esac
baton_move "$id" deliver '{"fence":1,"result":{"y":2}}' > /dev/null
BATON_TOKEN=$ME
baton_wait "$id" 5
if baton_show hoff-none 2> problem; then exit 9; fi
cat problem
`;

it('Q2: a script sends, claims, delivers and waits, and is told of a problem', async () => {
  const { url, tokenFor } = await served();
  const folder = tempFolder();
  writeFileSync(join(folder, 'script.sh'), SCRIPT);
  const env = { ...process.env, BATON_URL: url, ME: await tokenFor('@me'), WORKER: await tokenFor('@worker') };
  const { stdout } = await promisify(execFile)('sh', ['script.sh', join(ROOT, 'clients/shell/baton.sh')], {
    cwd: folder,
    env,
  });
  const [settled = '', problem = ''] = stdout.trim().split('\n');
  expect(JSON.parse(settled)).toMatchObject({ state: 'completed', result: { y: 2 } });
  expect(JSON.parse(problem)).toMatchObject({ code: 'no-such-handoff' });
});
