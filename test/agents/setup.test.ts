/** `baton setup`: what it writes, what it leaves alone, and that it can be taken out again to the byte. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planSetup } from '../../src/adapters/agent-setup/agent-setup.ts';
import { diffOf } from '../../src/agents/setup/diff.ts';
import { trustOf } from '../../src/agents/setup/trust.ts';
import { HOOK_EVENTS } from '../../src/agents/hook-names.ts';
import { hookCommand } from '../../src/agents/setup/vendor-files.ts';
import { VENDORS, type Vendor } from '../../src/domain/vendors.ts';
import { baton, tempFolder, type Ended } from '../support/processes.ts';

const THEIRS: Readonly<Record<string, string>> = {
  '.claude/settings.json': `${JSON.stringify(
    {
      permissions: { allow: ['Bash(npm test)'] },
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }] },
    },
    null,
    4,
  )}\n`,
  '.mcp.json': '{\n  "mcpServers": {\n    "github": {\n      "command": "gh"\n    }\n  }\n}\n',
  '.codex/config.toml': 'model = "x"\n\n[mcp_servers.github]\ncommand = "gh"\n',
  '.gemini/settings.json': '{\n  "theme": "dark"\n}\n',
  'AGENTS.md': '# How we work\n\nSmall commits.\n',
};

function project(files: Readonly<Record<string, string>> = {}): string {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** By a user who has nothing of their own, whoever runs the tests. */
const setup = (folder: string, ...args: readonly string[]): Promise<Ended> => setupBy(project(), folder, ...args);
const setupBy = (home: string, folder: string, ...args: readonly string[]): Promise<Ended> =>
  baton(['setup', ...args, '--workspace', folder], { cwd: folder, env: { HOME: home, CLAUDE_CONFIG_DIR: '' } });
const textIn = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');

it('installs into each place, twice is the same as once, and removing leaves what was there to the byte', async () => {
  const folder = project(THEIRS);
  const first = await setup(folder, ...VENDORS);
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('baton is not on the PATH') as unknown });
  expect(first.stdout).toContain('+++ .mcp.json');
  expect(first.stdout).toContain('What only you can approve:');

  const claude = JSON.parse(textIn(folder, '.claude/settings.json')) as typeof CLAUDE_SETTINGS;
  expect(claude.permissions).toEqual({ allow: ['Bash(npm test)'] });
  expect(claude.hooks.Stop.map(({ hooks }) => hooks[0]?.command)).toEqual(['say done', 'baton hook claude stop']);
  expect(claude.statusLine).toEqual({ type: 'command', command: 'baton hook claude status-line' });
  expect(textIn(folder, '.claude/settings.json')).toMatch(/^\{\n {4}"/);
  expect(JSON.parse(textIn(folder, '.mcp.json'))).toEqual({
    mcpServers: {
      github: { command: 'gh' },
      baton: { type: 'stdio', command: 'baton', args: ['mcp', '--as', '@claude'] },
    },
  });
  expect(textIn(folder, '.codex/config.toml')).toContain('[mcp_servers.baton]\ncommand = "baton"');
  expect(JSON.parse(textIn(folder, '.gemini/settings.json'))).toMatchObject({
    theme: 'dark',
    mcpServers: { baton: {} },
  });
  expect(textIn(folder, 'AGENTS.md')).toMatch(/^# How we work\n\nSmall commits\.\n\n<!-- baton: begin -->/);
  expect(existsSync(join(folder, '.claude/skills/baton/SKILL.md'))).toBe(true);

  expect((await setup(folder, ...VENDORS)).stdout).toBe(
    'Claude Code, Codex, Gemini CLI: set up already; baton setup --check tells more\n',
  );
  await setup(folder, '--remove');
  const left = Object.keys(THEIRS).map((name) => [name, textIn(folder, name)]);
  expect(Object.fromEntries(left)).toEqual(THEIRS);
  const made = ['.codex/hooks.json', 'GEMINI.md', '.claude/skills/baton/SKILL.md'];
  expect(made.filter((name) => existsSync(join(folder, name)))).toEqual([]);
});

/** For its type. */
const CLAUDE_SETTINGS = {
  permissions: {},
  statusLine: {},
  hooks: { Stop: [{ hooks: [{ command: '' }] }] },
};

describe('the status line of Claude Code', () => {
  const MINE = { statusLine: { type: 'command', command: 'my-line' } };
  const mine = JSON.stringify(MINE);
  const lineIn = (folder: string): unknown =>
    (JSON.parse(textIn(folder, '.claude/settings.json')) as { readonly statusLine?: unknown }).statusLine;

  it.each(['.claude/settings.json', '.claude/settings.local.json'])(
    'is left alone where the user has one in %s, with what to add by hand',
    async (name) => {
      const folder = project({ [name]: mine });
      const first = await setup(folder, 'claude');
      expect(first.stdout).toContain('status line: yours in ');
      expect(first.stdout).toContain(`printf '%s' "$input" | baton hook claude status-line`);
      expect(lineIn(folder)).toEqual(name.endsWith('local.json') ? undefined : MINE.statusLine);
      expect((await setup(folder, 'claude')).stdout).toMatch(/set up already;.*\nstatus line: yours in /);
      const told = JSON.parse((await setup(folder, 'claude', '--json')).stdout) as object;
      expect(told).toMatchObject({ wouldChange: [], leftAlone: [expect.stringContaining(name)] });
      const removed = await setup(folder, 'claude', '--remove');
      expect(removed.stdout).not.toContain('status line');
      expect(JSON.parse(textIn(folder, name))).toEqual(MINE);
    },
  );

  it('makes room for one that the user has got for all projects since, and --check tells', async () => {
    const [home, folder] = [project(), project()];
    await setupBy(home, folder, 'claude');
    expect(lineIn(folder)).toEqual({ type: 'command', command: 'baton hook claude status-line' });
    const before = await setupBy(home, folder, 'claude', '--check');
    expect(before.stdout).toContain('ok       hooks and status line in .claude/settings.json');
    mkdirSync(join(home, '.claude'));
    writeFileSync(join(home, '.claude/settings.json'), mine);
    await setupBy(home, folder, 'claude');
    expect(lineIn(folder)).toBeUndefined();
    const after = await setupBy(home, folder, 'claude', '--check');
    expect(after.stdout).toContain('ok       hooks in .claude/settings.json');
    expect(after.stdout).toContain(`yours    status line: yours in ${join(home, '.claude/settings.json')} stays`);
  });
});

it('--dry-run shows the change and makes none; --json tells it to programs', async () => {
  const folder = project(THEIRS);
  const dry = await setup(folder, 'gemini', '--dry-run');
  expect(dry.stdout).toContain('+      "command": "baton",');
  expect(textIn(folder, '.gemini/settings.json')).toBe(THEIRS['.gemini/settings.json']);
  const told = JSON.parse((await setup(folder, 'gemini', '--json', '--as', '@looker')).stdout) as object;
  expect(told).toMatchObject({ vendors: ['gemini'], changed: ['.gemini/settings.json', 'GEMINI.md'] });
  expect(textIn(folder, '.gemini/settings.json')).toContain('"@looker"');
});

it('for a user it writes into the home folder, and where the vendors say', async () => {
  const [home, codex] = [project(), project()];
  const env = { HOME: home, CODEX_HOME: codex };
  const ended = await baton(['setup', ...VENDORS, '--user'], { cwd: home, env });
  expect(ended.code).toBe(0);
  const files = ['.claude/settings.json', '.claude.json', '.claude/skills/baton/SKILL.md', '.gemini/settings.json'];
  expect(files.filter((name) => !existsSync(join(home, name)))).toEqual([]);
  expect(['hooks.json', 'config.toml', 'AGENTS.md'].filter((name) => !existsSync(join(codex, name)))).toEqual([]);
});

it('the commands of hooks are what Codex users have trusted: they never change', () => {
  const commands = VENDORS.map((vendor) => HOOK_EVENTS[vendor].map((event) => hookCommand(vendor, event)));
  expect(commands).toEqual([
    ['session-start', 'user-prompt-submit', 'stop', 'stop-failure', 'session-end', 'pre-compact'].map(named('claude')),
    ['session-start', 'user-prompt-submit', 'stop', 'session-end', 'pre-compact'].map(named('codex')),
    ['session-start', 'before-agent', 'after-agent', 'session-end', 'pre-compress', 'notification'].map(
      named('gemini'),
    ),
  ]);
});

function named(vendor: Vendor): (event: string) => string {
  return (event) => `baton hook ${vendor} ${event}`;
}

describe('what it cannot edit it leaves alone, with the reason', () => {
  const plan = (folder: string, vendor: Vendor): string => {
    const planned = planSetup({ agents: [{ vendor, agent: '@x' }], project: folder, how: 'install' });
    return planned.ok ? 'planned' : planned.refusal;
  };

  it.each([
    ['settings that are no JSON', '.claude/settings.json', '{ // mine\n}', /line 1, column 3/],
    ['settings that are a list', '.claude/settings.json', '[]', /has to be a JSON object/],
    ['hooks that are no object', '.claude/settings.json', '{"hooks":[]}', /"hooks" has to be an object/],
    ['servers that are no object', '.mcp.json', '{"mcpServers":1}', /"mcpServers" has to be an object/],
  ])('%s', (_what, name, text, says) => {
    expect(plan(project({ [name]: text }), 'claude')).toMatch(says);
  });

  it('a link that leads out of the project', () => {
    const [folder, home] = [project(), project({ '.bashrc': 'export PATH\n' })];
    symlinkSync(join(home, '.bashrc'), join(folder, 'AGENTS.md'));
    expect(plan(folder, 'codex')).toContain('leads out of the project');
  });

  it('a server of that name that somebody else entered: twice would make the file unreadable', () => {
    const mine = '[mcp_servers.baton]\ncommand = "my-baton"\n';
    const folder = project({ '.codex/config.toml': mine });
    const planned = planSetup({ agents: [{ vendor: 'codex', agent: '@x' }], project: folder, how: 'install' });
    const file = planned.ok ? planned.value.files.find(({ path }) => path.endsWith('config.toml')) : undefined;
    expect(file?.after).toBe(mine);
  });
});

it('reads trust and never writes it', () => {
  const [home, folder] = [project(), project()];
  const own = { claudeFolder: null, codexFolder: null, claudeUserSettings: join(home, '.claude/settings.json') };
  const place = { scope: 'project', folder, project: folder, home, ...own } as const;
  const answers = (): readonly string[] => VENDORS.flatMap((vendor) => trustOf(vendor, place).map(({ is }) => is));
  expect(answers()).toEqual(['no', 'no', 'no', 'no', 'no']);
  writeFileSync(
    join(home, '.claude.json'),
    JSON.stringify({ projects: { [folder]: { hasTrustDialogAccepted: true, enabledMcpjsonServers: ['baton'] } } }),
  );
  const key = (event: string): string =>
    `[hooks.state."${folder}/.codex/hooks.json:${event}:0:0"]\ntrusted_hash = "x"\n`;
  mkdirSync(join(home, '.codex'));
  writeFileSync(
    join(home, '.codex/config.toml'),
    `[projects.${JSON.stringify(folder)}]\ntrust_level = "trusted"\n${HOOK_EVENTS.codex.map(key).join('')}`,
  );
  mkdirSync(join(home, '.gemini'));
  writeFileSync(join(home, '.gemini/trustedFolders.json'), JSON.stringify({ [folder]: 'TRUST_FOLDER' }));
  expect(answers()).toEqual(['yes', 'yes', 'yes', 'yes', 'yes']);
});

it('a diff shows what changes, with what stands around it', () => {
  const lines = Array.from({ length: 20 }, (_each, at) => `line ${at + 1}`);
  const after = [...lines.slice(0, 9), 'new', ...lines.slice(10)];
  expect(diffOf(`${lines.join('\n')}\n`, `${after.join('\n')}\n`, 'x')).toEqual([
    '--- x',
    '+++ x',
    '@@ line 7 @@',
    ' line 7',
    ' line 8',
    ' line 9',
    '-line 10',
    '+new',
    ' line 11',
    ' line 12',
    ' line 13',
  ]);
});
