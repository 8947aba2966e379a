/** A real browser before a real server, and what went wrong in it. */
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { built } from '../support/built.ts';
import { howToGet, needComponent } from '../support/components.ts';
import { PATIENCE_MS } from '../support/processes.ts';
import { served, type Served, type ServedOptions } from '../http/served.ts';

const HOLDER_MOVES: readonly string[] = ['deliver', 'fail', 'block', 'progress', 'release', 'renew'];

let browser: Browser | null = null;

/** One browser for a file of tests; each test has a window of its own that knows nothing of the others. */
export function withBrowser(): void {
  beforeAll(async () => {
    await built('dashboard');
    const executablePath = await needComponent('chromium');
    if (executablePath !== null) browser = await chromium.launch({ executablePath });
  });
  afterAll(async () => {
    await browser?.close();
    browser = null;
  });
}

export interface Visit extends Served {
  readonly page: Page;
  /** Errors of the page, refused resources and everything that was asked of another host. */
  readonly troubles: readonly string[];
  readonly send: (body: object) => Promise<string>;
  readonly move: (agent: string | null, id: string, move: string, body?: object) => Promise<void>;
}

/** Null where there is no browser, and then the test says why it skips. */
export async function visit(
  context: { skip(note: string): never },
  options: ServedOptions & { readonly window?: BrowserContextOptions } = {},
): Promise<Visit> {
  if (browser === null) return context.skip(howToGet('chromium'));
  const server = await served(options);
  const window = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options.window });
  window.setDefaultTimeout(PATIENCE_MS);
  onTestFinished(() => window.close());
  const page = await window.newPage();
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${server.url}/`)) troubles.push(`foreign: ${request.url()}`);
  });
  await page.goto(server.link);
  await page.waitForURL(`${server.url}/`);
  await page.getByRole('heading', { name: 'Attention' }).waitFor();
  const operator = await server.tokenFor(null);
  const tokens = new Map<string, string>();
  const tokenOf = async (agent: string | null): Promise<string> => {
    if (agent === null) return operator;
    const token = tokens.get(agent) ?? (await server.tokenFor(agent));
    tokens.set(agent, token);
    return token;
  };
  const fences = new Map<string, unknown>();
  return {
    ...server,
    page,
    troubles,
    send: async (body) => {
      const answer = await server.ask('POST', '/api/handoffs', { token: operator, body: { from: '@lead', ...body } });
      return present((answer.json as { id?: string }).id, answer.text);
    },
    move: async (agent, id, move, body = {}) => {
      // The holder shows the fence of its acceptance, as every client has to.
      const fence = HOLDER_MOVES.includes(move) ? { fence: fences.get(id) } : {};
      const answer = await server.ask('POST', `/api/handoffs/${id}/${move}`, {
        token: await tokenOf(agent),
        body: { ...fence, ...body },
      });
      if (answer.status >= 300) throw new Error(answer.text);
      if (move === 'accept') fences.set(id, (answer.json as { fence?: number }).fence);
    },
  };
}

/** The cards of one column of the board, by their titles. */
export async function titlesIn(page: Page, column: string): Promise<readonly string[]> {
  return page.getByRole('region', { name: column, exact: true }).locator('.card .words').allTextContents();
}

/** The rows of the table of work, by their titles. */
export async function rowsIn(page: Page): Promise<readonly string[]> {
  return page.locator('.work .title > a').allTextContents();
}
