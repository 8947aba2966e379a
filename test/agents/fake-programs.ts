/**
 * Small programs with the names of the vendors' command lines that print what the real ones were seen to print. What they
 * are asked is kept for the test to look at.
 */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../support/processes.ts';
import { pathWith } from './install.ts';
import type { Vendor } from '../../src/domain/vendors.ts';

interface FakeRun {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly prompt: string;
}

export interface FakePrograms {
  readonly path: string;
  /** What was asked of it so far. */
  runs(vendor: Vendor): readonly FakeRun[];
}

/** What a program prints in each of its runs; the last one is repeated. A text that begins with `!` is run by a shell. */
export type FakeOutput = Partial<Readonly<Record<Vendor, readonly string[]>>>;

const SCRIPT = `
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
const { execSync } = require('node:child_process');
const [log, outputs] = [process.argv[2], JSON.parse(readFileSync(process.argv[3], 'utf8'))];
const run = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\\n').length : 0;
const prompt = readFileSync(0, 'utf8');
appendFileSync(log, JSON.stringify({ args: process.argv.slice(4), cwd: process.cwd(), prompt }) + '\\n');
const output = outputs[Math.min(run, outputs.length - 1)];
const [command, ...lines] = output.startsWith('!') ? output.slice(1).split('\\n') : ['true', output];
execSync(command, { stdio: 'inherit' });
const text = lines.join('\\n');
process.stdout.write(text + '\\n', () => process.exit(text.includes('"turn.failed"') || text.includes('"is_error":true') ? 1 : 0));
`;

export function fakePrograms(outputs: FakeOutput): FakePrograms {
  const folder = tempFolder();
  const script = join(folder, 'fake.cjs');
  writeFileSync(script, SCRIPT);
  for (const [vendor, texts] of Object.entries(outputs)) {
    const [program, given, log] = [join(folder, vendor), join(folder, `${vendor}.json`), join(folder, `${vendor}.log`)];
    writeFileSync(given, JSON.stringify(texts));
    writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${script}" "${log}" "${given}" "$@"\n`);
    chmodSync(program, 0o755);
  }
  return {
    path: pathWith(folder),
    runs: (vendor) => {
      const log = join(folder, `${vendor}.log`);
      if (!existsSync(log)) return [];
      const lines = readFileSync(log, 'utf8').trim().split('\n');
      return lines.map((line) => JSON.parse(line) as FakeRun);
    },
  };
}

const SESSION = '0199f0aa-0000-7000-8000-000000000001';

/** As seen with claude-code 2.1.325, codex 0.166.0 and gemini-cli 0.61.0, without what nobody reads. */
export function printed(vendor: Vendor, text: string): string {
  const said = JSON.stringify(text);
  switch (vendor) {
    case 'claude':
      return [
        `{"type":"system","subtype":"init","session_id":"${SESSION}","model":"claude-opus-5-5","tools":["Bash"],"mcp_servers":[]}`,
        `{"type":"assistant","message":{"model":"claude-opus-5-5","role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"echo hello"}}]},"parent_tool_use_id":null,"session_id":"${SESSION}"}`,
        `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"hello","is_error":false}]},"parent_tool_use_id":null,"session_id":"${SESSION}"}`,
        `{"type":"assistant","message":{"model":"claude-opus-5-5","role":"assistant","content":[{"type":"text","text":${said}}]},"parent_tool_use_id":null,"session_id":"${SESSION}"}`,
        `{"stop_reason":"end_turn","session_id":"${SESSION}","total_cost_usd":0.0084,"usage":{"input_tokens":2000,"output_tokens":20},"is_error":false,"num_turns":2,"subtype":"success","api_error_status":null,"result":${said},"type":"result"}`,
      ].join('\n');
    case 'codex':
      return [
        `{"type":"thread.started","thread_id":"${SESSION}"}`,
        '{"type":"turn.started"}',
        `{"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"/bin/bash -lc 'echo hello'","aggregated_output":"","exit_code":null,"status":"in_progress"}}`,
        `{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":${said}}}`,
        '{"type":"turn.completed","usage":{"input_tokens":2000,"cached_input_tokens":0,"output_tokens":20}}',
      ].join('\n');
    case 'gemini':
      return [
        `{"type":"init","session_id":"${SESSION}","model":"gemini-2.5-flash"}`,
        '{"type":"message","role":"user","content":"…"}',
        '{"type":"message","role":"assistant","content":"I look.","delta":true}',
        '{"type":"tool_use","tool_name":"list_directory","tool_id":"1","parameters":{"dir_path":"."}}',
        `{"type":"message","role":"assistant","content":${JSON.stringify(text.slice(0, 3))},"delta":true}`,
        `{"type":"message","role":"assistant","content":${JSON.stringify(text.slice(3))},"delta":true}`,
        '{"type":"result","status":"success","stats":{"total_tokens":2020,"input_tokens":2000,"output_tokens":20}}',
      ].join('\n');
  }
}

/** What they print when their vendor serves no more. */
export const LIMITS: Readonly<Record<Vendor, string>> = {
  claude: [
    `{"type":"system","subtype":"init","session_id":"${SESSION}","model":"claude-opus-5-5"}`,
    `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1999999999,"rateLimitType":"five_hour"}}`,
    `{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You've hit your 5-hour limit · resets 3:33am (UTC)","total_cost_usd":0,"usage":{}}`,
  ].join('\n'),
  codex: [
    `{"type":"thread.started","thread_id":"${SESSION}"}`,
    '{"type":"error","message":"You’ve hit your usage limit. Upgrade to Pro or try again in 3 hours 5 minutes."}',
    '{"type":"turn.failed","error":{"message":"You’ve hit your usage limit. Upgrade to Pro or try again in 3 hours 5 minutes."}}',
  ].join('\n'),
  gemini: [
    `{"type":"init","session_id":"${SESSION}","model":"gemini-2.5-flash"}`,
    '{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: You have exhausted your daily quota on this model.]"},"stats":{}}',
  ].join('\n'),
};

export const FAKE_SESSION = SESSION;
