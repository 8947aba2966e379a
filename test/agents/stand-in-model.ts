/**
 * A model behind Claude Code, Codex and Gemini CLI that answers what a test says, on loopback: the real command lines run
 * to their end with it, without a network, a key or an account.
 *
 * It speaks as much of the three vendors' streaming APIs as their command lines ask for.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type ModelApi = 'claude' | 'codex' | 'gemini';

/** What an agent asks its model. */
export interface Asked {
  readonly api: ModelApi;
  /** The newest user text or tool result. */
  readonly last: string;
  /** The whole request, as text. */
  readonly body: string;
  /** The names of the tools that the model may call. */
  readonly tools: readonly string[];
  /** How many requests of this API came before, those for titles and the like left out. */
  readonly turn: number;
}

export type Reply =
  | { readonly text: string }
  /** Codex: an input that is a text is a freeform call, such as apply_patch. */
  | { readonly tool: string; readonly input: object | string }
  | { readonly status: number; readonly error: object; readonly headers?: Readonly<Record<string, string>> }
  /** Takes the request and never answers. */
  | { readonly hang: true };

export interface StandInModel {
  readonly port: number;
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Replaces what answers from now on. */
  answer(decide: (asked: Asked) => Reply): void;
  close(): Promise<void>;
}

const BODY_MAX = 64 * 1024 * 1024;

export async function startStandInModel(decide: (asked: Asked) => Reply): Promise<StandInModel> {
  const asked: Asked[] = [];
  let decideNow = decide;
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const url = request.url ?? '';
      const api = apiOf(url);
      if (api === null || /count_?tokens/i.test(url)) return sendJson(response, beside(url));
      const read = JSON.parse(body === '' ? '{}' : body) as Json;
      const tools = toolsIn(read);
      // Titles, quota probes and routing are not part of the conversation; they come without tools, as everything of Codex.
      if (api === 'codex' ? wantsTitle(read) : tools.length === 0)
        return reply(response, api, url, read, { text: titleFor(api) });
      const turn = asked.filter((each) => each.api === api).length;
      const about: Asked = { api, body, tools, turn, last: newestIn(api, read) };
      asked.push(about);
      return reply(response, api, url, read, decideNow(about));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    asked,
    answer: (next) => {
      decideNow = next;
    },
    close: () => closed(server),
  };
}

/** Environment and settings under which the three command lines talk to it and to nobody else. */
export function standInEnvironment(model: Pick<StandInModel, 'url'>, home: string): Record<string, string> {
  return {
    HOME: home,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'stand-in-key-for-tests',
    CLAUDE_CONFIG_DIR: `${home}/.claude`,
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
    CODEX_HOME: `${home}/.codex`,
    STAND_IN_KEY: 'stand-in',
    GEMINI_API_KEY: 'stand-in',
    GOOGLE_GEMINI_BASE_URL: model.url,
    GEMINI_CLI_NO_RELAUNCH: 'true',
  };
}

/** What `config.toml` of Codex has to say for it. */
export function codexSettings({ url }: Pick<StandInModel, 'url'>): string {
  return [
    'model_provider = "stand-in"',
    'check_for_update_on_startup = false',
    '[model_providers.stand-in]',
    'name = "stand-in"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    'env_key = "STAND_IN_KEY"',
    '',
  ].join('\n');
}

type Json = Readonly<Record<string, unknown>>;

function apiOf(url: string): ModelApi | null {
  if (url.startsWith('/v1/messages')) return 'claude';
  if (url.includes('/responses')) return 'codex';
  return url.includes('enerateContent') ? 'gemini' : null;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= BODY_MAX) chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function beside(url: string): object {
  return url.includes('/models') ? { data: [], models: [] } : { input_tokens: 5, totalTokens: 5 };
}

function wantsTitle({ text }: Json): boolean {
  return JSON.stringify(text ?? {}).includes('"title"');
}

function titleFor(api: ModelApi): string {
  return api === 'codex' ? '{"title":"Stand-in"}' : 'ok';
}

function toolsIn({ tools }: Json): readonly string[] {
  if (!Array.isArray(tools)) return [];
  return (tools as Json[]).flatMap((tool) => {
    const declared = tool['functionDeclarations'];
    if (Array.isArray(declared)) return (declared as Json[]).map(({ name }) => String(name));
    const inner = tool['tools'];
    if (Array.isArray(inner)) return (inner as Json[]).map(({ name }) => `${String(tool['name'])}.${String(name)}`);
    return [String(tool['name'] ?? tool['type'])];
  });
}

/** All text in a message, whatever its vendor calls the parts. */
function flat(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(flat).filter(Boolean).join('\n');
  if (typeof value !== 'object' || value === null) return '';
  const { text, content, output, functionResponse, parts, response, result, error } = value as Json;
  return flat(text ?? content ?? output ?? functionResponse ?? parts ?? response ?? result ?? error ?? '');
}

function newestIn(api: ModelApi, request: Json): string {
  const list = (name: string): Json[] => (Array.isArray(request[name]) ? (request[name] as Json[]) : []);
  if (api === 'claude') return flat(list('messages').findLast(({ role }) => role === 'user'));
  if (api === 'gemini') return flat(list('contents').findLast(({ role }) => role !== 'model'));
  return flat(list('input').findLast(({ role, type }) => role === 'user' || String(type).endsWith('_output')));
}

function reply(response: ServerResponse, api: ModelApi, url: string, request: Json, said: Reply): void {
  if ('hang' in said) return;
  if ('status' in said) {
    for (const [name, value] of Object.entries(said.headers ?? {})) response.setHeader(name, value);
    response.statusCode = said.status;
    return sendJson(response, said.error);
  }
  if (api === 'claude') return asClaude(response, request, said);
  if (api === 'codex') return asCodex(response, said);
  return asGemini(response, url, said);
}

type Said = Exclude<Reply, { hang: true } | { status: number }>;
let calls = 0;

function asClaude(response: ServerResponse, { model, stream }: Json, said: Said): void {
  calls += 1;
  const isTool = 'tool' in said;
  const usage = { input_tokens: 1000, output_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const message = { id: `msg_${calls}`, type: 'message', role: 'assistant', model, stop_sequence: null, usage };
  const block = isTool
    ? { type: 'tool_use', id: `toolu_${calls}`, name: said.tool, input: said.input }
    : { type: 'text', text: said.text };
  const stop = isTool ? 'tool_use' : 'end_turn';
  if (stream !== true) return sendJson(response, { ...message, content: [block], stop_reason: stop });
  const delta = isTool
    ? { type: 'input_json_delta', partial_json: JSON.stringify(said.input) }
    : { type: 'text_delta', text: said.text };
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: isTool ? { ...block, input: {} } : { ...block, text: '' } },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  ];
  sendEvents(response, events, true);
}

function asCodex(response: ServerResponse, said: Said): void {
  calls += 1;
  const id = `resp_${calls}`;
  const call = { id: `item_${calls}`, call_id: `call_${calls}`, status: 'completed' };
  const usage = {
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 1010,
  };
  sendEvents(
    response,
    [
      { type: 'response.created', response: { id } },
      { type: 'response.output_item.done', output_index: 0, item: codexItem(said, call) },
      { type: 'response.completed', response: { id, usage } },
    ],
    true,
  );
}

function codexItem(said: Said, call: object): object {
  if ('text' in said) {
    return {
      type: 'message',
      role: 'assistant',
      id: `msg_${calls}`,
      content: [{ type: 'output_text', text: said.text }],
    };
  }
  // A tool of an MCP server stands in a namespace of its own.
  const [namespace, name] = said.tool.includes('.') ? said.tool.split('.') : [undefined, said.tool];
  const named = { ...call, name, ...(namespace === undefined ? {} : { namespace }) };
  return typeof said.input === 'string'
    ? { type: 'custom_tool_call', ...named, input: said.input }
    : { type: 'function_call', ...named, arguments: JSON.stringify(said.input) };
}

function asGemini(response: ServerResponse, url: string, said: Said): void {
  const part = 'tool' in said ? { functionCall: { name: said.tool, args: said.input } } : { text: said.text };
  const answer = {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 10, totalTokenCount: 1010 },
    modelVersion: 'stand-in',
  };
  if (url.includes('streamGenerateContent')) sendEvents(response, [answer], false);
  else sendJson(response, answer);
}

function sendEvents(response: ServerResponse, events: readonly object[], areNamed: boolean): void {
  response.setHeader('content-type', 'text/event-stream');
  for (const event of events) {
    const name = areNamed ? `event: ${(event as { readonly type: string }).type}\n` : '';
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function sendJson(response: ServerResponse, value: object): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(value));
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
