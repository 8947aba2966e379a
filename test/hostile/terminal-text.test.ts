/** Whatever others write, a terminal shows it as text: nothing moves the cursor, hides, turns around or looks like ours. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { displayLine, displayText } from '../../src/foundation/display-text.ts';
import { agentPrincipal, OPERATOR } from '../../src/domain/principal.ts';
import type { Result } from '../../src/foundation/result.ts';
import { block } from '../../src/engine/handoffs/block.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { reject } from '../../src/engine/handoffs/reject-and-cancel.ts';
import { fail } from '../../src/engine/handoffs/fail.ts';
import { progress } from '../../src/engine/handoffs/progress.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { mintToken } from '../../src/workspace/identity.ts';
import { CATALOGUE } from '../../src/interfaces/cli/catalogue/all-commands.ts';
import { agentOf, makeWorkspace, NO_RETRIES, sqlite, type Workspace } from '../cli/workspaces.ts';
import { askEach } from './answers.ts';

const TAGS = String.fromCodePoint(0xe0041, 0xe0042, 0xe007f);
const HOSTILE = `x\u001b[31m\u202e\u200b${TAGS}\u2028\u0085\u009b31m\u00ad\u3164\r\nforged row\ty\u2066`;
/** Written out once more, so that a hole in the product's own list is seen. */
const HIDDEN =
  // eslint-disable-next-line no-control-regex -- these are the characters that must not be there
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\u{e0000}-\u{e0fff}]/u;

describe('text for a terminal', () => {
  it('shows each hidden character as the escape that JSON has for it', () => {
    expect(displayText(`a${TAGS}b`)).toBe(String.raw`a\udb40\udc41\udb40\udc42\udb40\udc7fb`);
    expect(displayText('a\u001b[2Jb\u202ec')).toBe(String.raw`a\u001b[2Jb\u202ec`);
    expect(displayLine('a\nb\tc\r')).toBe(String.raw`a\nb\tc\u000d`);
    expect(displayText('a\n\tb')).toBe('a\n\tb');
    expect(displayText('half \ud83d')).toBe(String.raw`half \ud83d`);
    expect(displayText('✔️ Grüße, 日本語 👍')).toBe('✔️ Grüße, 日本語 👍');
    const value = { text: HOSTILE };
    expect(JSON.parse(displayText(JSON.stringify(value)))).toEqual(value);
    const codes = Array.from({ length: 0x110000 }, (_, code) => code);
    const hidden = codes.map((code) => String.fromCodePoint(code)).filter((character) => HIDDEN.test(character));
    expect(hidden.filter((character) => displayText(character) === character)).toEqual([]);
  });
});

describe('every human-readable command over a hostile workspace', () => {
  it('prints no hidden character and no line that somebody else has made up', async () => {
    const react = `react: { agent_type: ${JSON.stringify(HOSTILE)} }`;
    const workspace = await makeWorkspace(sqlite, `folders: { queue: on }\nagents: { ${react} }\n`);
    const ids = await filled(workspace);
    const hostileFile = join(workspace.folder, 'told.md');
    writeFileSync(hostileFile, summaryText());
    writeFileSync(join(workspace.folder, 'bad.jsonl'), `{"x": "${HOSTILE}"`);
    const file = join(workspace.folder, 'out.jsonl');
    const COMMANDS: readonly (readonly string[])[] = [
      ['list'],
      ['list', '--text', 'forged'],
      ['status'],
      ['ready', 'react'],
      ['tail'],
      ['inbox', 'me'],
      ['inbox', 'react'],
      ...ids.map((id) => ['show', id]),
      ['facts', ids[0] ?? ''],
      ['trace', ids[0] ?? ''],
      ['wait', ids[2] ?? '', '--timeout', '1'],
      ['wait', ids[3] ?? '', '--timeout', '1'],
      ['doctor'],
      ['apply', '--show'],
      ['apply', '--history'],
      ['token', 'list'],
      ['workflow'],
      ['report'],
      ['report', '--format', 'html'],
      ['check'],
      ['migrate'],
      ['sync'],
      ['artifact', 'list'],
      ['shadow', 'list'],
      ['shadow', 'status', HOSTILE],
      ['artifact', 'register', `artifacts/${HOSTILE}.json`],
      ['ingest', hostileFile],
      ['ingest', hostileFile, '--strict'],
      ['import', 'bad.jsonl', '--as', 'operator'],
      ['import', `no${HOSTILE}`, '--as', 'operator'],
      ['export', file],
      ['backup', join(workspace.folder, `b${HOSTILE.replaceAll('/', '')}.db`)],
      ['task', 'new', '--title', HOSTILE],
      ['send', '--from', 'me', '--to', 'react', '--schema', HOSTILE],
      ['send', '--from', 'me', '--to', 'react', '--title', HOSTILE, '--timeout', HOSTILE],
      ['create', '--from', 'me', '--to', 'react', '--title', HOSTILE, '--task', HOSTILE],
      ['schedule', 'add', 'a', '--every', '1h', '--from', 'me', '--to', 'react', '--title', HOSTILE],
      ['schedule', 'add', HOSTILE, '--every', '1h', '--from', 'me', '--to', 'react'],
      ['schedule', 'add', 'b', '--cron', HOSTILE, '--from', 'me', '--to', 'react'],
      ['schedule', 'list'],
      ['schedule', 'remove', HOSTILE],
      ['pause', 'builder', '--reason', HOSTILE, '--as', 'operator'],
      ['pauses', '--as', 'operator'],
      ['undelivered', '--as', 'operator'],
      ['claim', 'react'],
      ['work', 'doer', '--once', '--', 'sh', '-c', `printf '%s' "$0" >&2; exit 3`, HOSTILE],
      ['deliver', ids[1] ?? '', '--as', 'react', '--evidence', `${HOSTILE}=note:x`],
      ['audit'],
      ['key', 'add', '@qa', HOSTILE, '--as', 'operator'],
      ['accept', HOSTILE],
      ['list', '--state', HOSTILE],
      ['list', '--after', HOSTILE],
      [HOSTILE],
      ['list', `--${HOSTILE}`],
    ];
    const asked = await askEach(COMMANDS, (args) => workspace.run(args, { env: { FORCE_COLOR: '0' } }));
    const wrong = asked.filter(({ question, answer }) => {
      const lines = `${answer.stdout}\n${answer.stderr}`;
      // What the command of a worker says is passed on line by line, as it says it.
      const isForged = question[0] !== 'work' && /^(?:forged|x\\u001b)/m.test(lines);
      return HIDDEN.test(lines) || isForged;
    });
    expect(wrong.map(({ question, answer }) => ({ question, ...answer }))).toEqual([]);
    const told = new Set(COMMANDS.map((args) => args[0]));
    const left = CATALOGUE.map(({ name }) => name.split(' ')[0]).filter((name) => !told.has(name ?? ''));
    // What these print beside ids, states and errors is their own; errors are printed by the one function for all.
    expect(new Set(left)).toEqual(new Set(QUIET));
  }, 240_000);
});

const QUIET = [
  'conformance',
  'setup',
  'mcp',
  'agent',
  'activate',
  'block',
  'cancel',
  'demo',
  'erase',
  'fail',
  'hook',
  'index',
  'init',
  'progress',
  'prune',
  'reassign',
  'reject',
  'release',
  'renew',
  'resend',
  'resume',
  'retry',
  'revise',
  'rework',
  'serve',
  'unblock',
  'verify',
];

function summaryText(): string {
  const value = JSON.stringify(HOSTILE);
  return `text\n\n\`\`\`yaml\nhandoff:\n  from: me\n  to: react\n  status: completed\n  summary: ${value}\n  ${value}: ${value}\n\`\`\`\n`;
}

function had<Value>(result: Result<Value, unknown>): Value {
  if (result.ok) return result.value;
  throw new Error(JSON.stringify(result));
}

/** One in each state that holds words of others. */
async function filled({ folder, open }: Workspace): Promise<readonly string[]> {
  const ctx = await open();
  const react = agentPrincipal(agentOf('react'));
  const request = {
    from: agentOf('me'),
    to: agentOf('react'),
    title: HOSTILE,
    task: HOSTILE,
    input: { text: HOSTILE },
    terms: NO_RETRIES,
  };
  const made = async (more: object = {}): Promise<Parameters<typeof accept>[2]> =>
    had(await send(ctx, OPERATOR, { ...request, ...more })).id;
  const first = await made();
  await made({ to: agentOf('doer') });
  const held = await made({ terms: { ...NO_RETRIES, deliverables: [HOSTILE], criteria: [HOSTILE] } });
  had(await accept(ctx, react, held, { notes: HOSTILE }));
  had(await progress(ctx, react, held, 1, { fraction: null, says: HOSTILE }));
  const failed = await made();
  had(await accept(ctx, react, failed));
  had(await fail(ctx, react, { target: failed, fence: 1, failure: { code: HOSTILE, message: HOSTILE } }));
  const rejected = await made({ parent: first });
  had(await reject(ctx, react, rejected, { type: HOSTILE, reason: HOSTILE }));
  const asks = await made();
  had(await accept(ctx, react, asks));
  had(await block(ctx, react, asks, 1, HOSTILE));
  const token = { agent: agentOf('react'), roles: [], scopes: ['read'], label: HOSTILE, lifeMs: null } as const;
  await mintToken(ctx, token, { by: HOSTILE });
  mkdirSync(join(folder, 'handoffs', 'pending'), { recursive: true });
  writeFileSync(join(folder, 'handoffs', 'pending', `${HOSTILE}.json`), '{"handoff_id": ');
  writeFileSync(join(folder, 'handoffs', 'pending', 'bad.json'), JSON.stringify({ handoff_id: HOSTILE, [HOSTILE]: 1 }));
  mkdirSync(join(folder, '_handoffs'), { recursive: true });
  writeFileSync(join(folder, '_handoffs', `H-${HOSTILE}.md`), `---\nstatus: ${JSON.stringify(HOSTILE)}\n---\n`);
  return [first, held, failed, rejected, asks];
}
