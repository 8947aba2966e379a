/** Principals × read paths: one rule of visibility, whichever way somebody reads. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import type { Run } from '../../src/interfaces/cli/catalogue/entry.ts';
import { APP } from '../../src/app/app.ts';
import { useApp } from '../../src/interfaces/cli/app.ts';
import { CATALOGUE } from '../../src/interfaces/cli/catalogue/all-commands.ts';
import { DESCRIBED } from '../../src/interfaces/http/app.ts';
import { openBaton, type Baton } from '../../src/index.ts';
import { listen } from './event-listener.ts';
import { COMMANDS, HTTP_PATHS, METHODS, PRINCIPALS, SECRET, type Ids, type Reader } from './read-paths.ts';
import { served, type Answer, type Served } from './served.ts';

useApp(APP);

const CONFIGURATION = 'agents: { reviewer: { roles: [verifier] } }\n';

interface World extends Served, Ids {
  readonly as: (who: Reader, method: string, path: string, body?: object) => Promise<Answer>;
  readonly tokens: ReadonlyMap<Reader, string>;
}

/** A chain of two: @other asks @sender, who asks @doer for something secret; and one more that is still open. */
async function world(): Promise<World> {
  const server = await served({ configuration: CONFIGURATION });
  const tokens = new Map<Reader, string>();
  for (const who of PRINCIPALS) tokens.set(who, await server.tokenFor(who === 'operator' ? null : who));
  const as: World['as'] = (who, method, path, body) =>
    server.ask(method, path, { token: tokens.get(who) ?? '', ...(body === undefined ? {} : { body }) });
  const made = async (
    who: Reader,
    method: string,
    path: string,
    body: object,
  ): Promise<{ id: string; fence: number }> => {
    const answer = await as(who, method, path, body);
    expect([path, answer.status, answer.text]).toEqual([path, expect.toSatisfy((s) => s < 300), answer.text]);
    return answer.json;
  };
  const { id: root } = await made('other', 'POST', '/api/handoffs', { to: '@sender', title: 'root' });
  const secret = { to: '@doer', title: SECRET, task: SECRET, input: { word: SECRET }, verifiers: ['@judge'] };
  const { id } = await made('sender', 'POST', '/api/handoffs', { ...secret, parent: root });
  const { fence } = await made('doer', 'POST', `/api/handoffs/${id}/accept`, {});
  await made('doer', 'POST', `/api/handoffs/${id}/deliver`, { fence, result: { word: SECRET } });
  await made('judge', 'POST', `/api/handoffs/${id}/verify`, {});
  await made('sender', 'POST', '/api/handoffs', secret);
  mkdirSync(join(server.folder, 'artifacts/phase-01-page'), { recursive: true });
  const artifact = {
    artifact_type: 'page',
    content: SECRET,
    validation: { status: 'passed' },
    metadata: { handoff_id: id },
  };
  const path = 'artifacts/phase-01-page/page-1.json';
  writeFileSync(join(server.folder, path), JSON.stringify({ artifact_id: 'page-1', ...artifact }));
  await made('operator', 'POST', '/api/artifacts', { path });
  const text = 'handoff:\n  from: "@sender"\n  to: "None"\n  status: "complete"\n';
  await as('operator', 'POST', '/api/summaries', { text: `\`\`\`yaml\n${text}\`\`\`\n`, session: 's', turn: '1' });
  // The server hears of attempts by the feed.
  await expect.poll(async () => (await as('operator', 'GET', '/api/attempts')).text).toContain(SECRET);
  return { ...server, as, tokens, id, root };
}

function isShown(text: string, isAnswered: boolean, shows: 'answered' | RegExp | undefined): boolean {
  if (shows === 'answered') return isAnswered;
  return isAnswered && (shows === undefined ? text.includes(SECRET) : shows.test(text));
}

function judged(cells: ReadonlyMap<string, boolean>, seenBy: (path: string) => readonly string[]): readonly string[] {
  return [...cells].flatMap(([key, isSeen]) => {
    const [path = '', who = ''] = key.split(' by ');
    const isMeant = seenBy(path).includes(who);
    return isSeen === isMeant ? [] : [`${key}: ${isSeen ? 'seen, and must be hidden' : 'hidden, and must be seen'}`];
  });
}

describe('what may be read', () => {
  it('I12: is decided for every route, command and method that there is', () => {
    const routes = DESCRIBED.filter(({ method }) => method === 'get').map(({ path }) => path);
    expect(Object.keys(HTTP_PATHS).toSorted()).toEqual([...routes, '/openapi.json'].toSorted());
    expect(Object.keys(COMMANDS).toSorted()).toEqual(CATALOGUE.map(({ name }) => name).toSorted());
  });

  it('I12: over HTTP is the same on every route, and what is hidden answers like what is not there', async () => {
    const w = await world();
    const cells = new Map<string, boolean>();
    for (const [path, { ask, shows }] of Object.entries(HTTP_PATHS)) {
      if (path === '/api/events') continue;
      const bare = await w.ask('GET', ask(w));
      const isOpen = DESCRIBED.find((each) => each.path === path && each.method === 'get')?.scope === null;
      expect([path, bare.status]).toEqual([path, isOpen || path === '/openapi.json' ? 200 : 401]);
      for (const who of PRINCIPALS) {
        const answer = await w.as(who, 'GET', ask(w));
        cells.set(`${path} by ${who}`, isShown(answer.text, answer.status === 200, shows));
      }
    }
    expect(judged(cells, (path) => HTTP_PATHS[path]?.seenBy ?? [])).toEqual([]);
    const direct = Object.entries(HTTP_PATHS).filter(([path]) => path.startsWith('/api/handoffs/{id}'));
    for (const [, { ask }] of direct) {
      const answer = await w.as('other', 'GET', ask(w));
      const none = await w.as('other', 'GET', ask({ id: 'hoff-none', root: 'hoff-none' }));
      expect(answer.text.replaceAll(w.id, 'ID')).toBe(none.text.replaceAll('hoff-none', 'ID'));
    }
    const hidden = await w.as('other', 'GET', '/api/artifacts/page-1');
    const absent = await w.as('other', 'GET', '/api/artifacts/page-2');
    expect(hidden.text.replaceAll('page-1', 'ID')).toBe(absent.text.replaceAll('page-2', 'ID'));
  });

  it('I12: in the stream of events is the same', async () => {
    const w = await world();
    const cells = new Map<string, boolean>();
    for (const who of PRINCIPALS) {
      const listening = await listen(w, w.tokens.get(who) ?? '', { query: '?after=start' });
      const from = who === 'operator' ? { from: '@other' } : {};
      const sent = await w.as(who, 'POST', '/api/handoffs', { to: '@other', title: 'the end', ...from });
      const { id } = sent.json as { id: string };
      await expect.poll(() => listening.heard.some(({ handoff }) => handoff.id === id)).toBe(true);
      cells.set(`/api/events by ${who}`, JSON.stringify(listening.heard).includes(SECRET));
      await listening.close();
    }
    expect(judged(cells, (path) => HTTP_PATHS[path]?.seenBy ?? [])).toEqual([]);
  });

  it('I12: with the command is the same', async () => {
    process.setMaxListeners(1_000);
    const w = await world();
    const cells = new Map<string, boolean>();
    for (const { name, load } of CATALOGUE) {
      const path = COMMANDS[name];
      if (path === undefined || typeof path === 'string') continue;
      const run = (await load()) as Run;
      for (const who of PRINCIPALS) {
        const scratch = join(w.folder, `${name}-${who}.out`);
        const said: string[] = [];
        const output = {
          json: true,
          answer: (value: unknown) => void said.push(JSON.stringify(value)),
          line: (text: string) => void said.push(text),
          note: () => undefined,
          warn: () => undefined,
        };
        const options = { workspace: w.folder, json: true, ...path.options?.(scratch) };
        const named = who === 'operator' ? options : { ...options, as: who };
        const isAnswered = await run(path.args?.(w, scratch) ?? [], named as never, output).then(
          () => true,
          () => false,
        );
        cells.set(`${name} by ${who}`, isShown(said.join('\n'), isAnswered, path.shows));
      }
    }
    const seenBy = (name: string): readonly string[] => {
      const path = COMMANDS[name];
      return path === undefined || typeof path === 'string' ? [] : path.seenBy;
    };
    expect(judged(cells, seenBy)).toEqual([]);
  });

  it('I12: with the library is the same', async () => {
    const w = await world();
    const cells = new Map<string, boolean>();
    for (const who of PRINCIPALS) {
      const baton = await openBaton({ workspace: w.folder, ...(who === 'operator' ? {} : { as: who }) });
      onTestFinished(() => baton.close());
      expect(Object.keys(METHODS).toSorted()).toEqual(Object.keys(baton).toSorted());
      for (const [name, look] of Object.entries(LOOKS)) {
        const text = await look(baton, w, who).then(
          (answer) => JSON.stringify(answer) ?? '',
          () => '',
        );
        const isSeen = ['inbox', 'facts', 'workflow', 'report', 'undelivered'].includes(name)
          ? text !== ''
          : /sesame|page-1/.test(text);
        cells.set(`${name} by ${who}`, isSeen);
      }
    }
    expect(Object.keys(LOOKS).toSorted()).toEqual(
      Object.keys(METHODS)
        .filter((name) => METHODS[name] !== null)
        .toSorted(),
    );
    expect(judged(cells, (name) => METHODS[name] ?? [])).toEqual([]);
  });
});

const LOOKS: Readonly<Record<string, (baton: Baton, ids: Ids, who: Reader) => Promise<unknown>>> = {
  wait: (baton, { id }) => baton.wait(id, { timeoutMs: 1 }),
  load: (baton, { id }) => baton.load(id),
  find: (baton) => baton.find({ text: SECRET }),
  list: (baton) => baton.list({ text: SECRET }),
  show: (baton, { id }) => baton.show(id),
  trace: (baton, { id }) => baton.trace(id),
  facts: (baton, { id }) => baton.facts(id),
  pauses: (baton) => baton.pauses(),
  undelivered: (baton) => baton.undelivered(),
  feed: async (baton, { id }, who) => {
    const over = new AbortController();
    const own = who === 'operator' ? 'other' : who;
    const { id: end } = await baton.send({ from: own, to: own, input: null });
    const heard: string[] = [];
    for await (const { fact } of baton.feed({ after: '', signal: over.signal })) {
      heard.push(fact.handoff);
      if (fact.handoff === end) over.abort();
    }
    return heard.includes(id) ? SECRET : '';
  },
  status: (baton) => baton.status({}),
  ready: (baton) => baton.ready('doer'),
  schedules: (baton) => baton.schedules(),
  inbox: (baton) => baton.inbox('doer'),
  artifact: (baton) => baton.artifact('page-1'),
  showArtifact: (baton) => baton.showArtifact('page-1'),
  workflow: (baton) => baton.workflow(),
  report: (baton) => baton.report(),
  findArtifacts: (baton) => baton.findArtifacts(),
};

describe('what is hidden', () => {
  it('I12: ends no page of a list or a search, and no cursor leads to it', async () => {
    const w = await world();
    for (let count = 0; count < 3; count += 1) {
      await w.as('other', 'POST', '/api/handoffs', { to: '@sender', title: `mine ${SECRET}` });
      await w.as('sender', 'POST', '/api/handoffs', { to: '@doer', title: `theirs ${SECRET}` });
    }
    for (const query of ['', `&text=${SECRET}`, '&agent=doer', '&to=doer', '&from=sender']) {
      const titles: string[] = [];
      let after: string | null = '';
      for (let pages = 0; after !== null && pages < 20; pages += 1) {
        const answer = await w.as(
          'other',
          'GET',
          `/api/handoffs?limit=1${query}${after === '' ? '' : `&after=${after}`}`,
        );
        const page = answer.json as { items: { title: string }[]; next: string | null };
        // An empty page that goes on tells that something was left out.
        expect([query, page.items.length]).toEqual([
          query,
          titles.length === 0 && page.next === null ? page.items.length : 1,
        ]);
        titles.push(...page.items.map(({ title }) => title));
        after = page.next;
      }
      expect(titles.filter((title) => title.startsWith('theirs'))).toEqual([]);
      expect([query, titles.length]).toEqual([query, query === '' ? 4 : query.startsWith('&text') ? 3 : 0]);
    }
  });

  it('I12: tells a stranger neither its state nor its revision, whatever the stranger asks to do', async () => {
    const w = await world();
    const moves = DESCRIBED.filter(({ method, path }) => method === 'post' && path.startsWith('/api/handoffs/{id}/'));
    const bodies: Readonly<Record<string, object>> = {
      reject: { type: 'unclear', reason: 'x' },
      fail: { code: 'X', message: 'x' },
      block: { question: 'x' },
      rework: { reason: 'x' },
      progress: { says: 'x' },
      reassign: { to: '@other' },
      revise: { title: 'x' },
    };
    const token = w.tokens.get('other') ?? '';
    for (const { path } of moves) {
      const move = path.split('/').at(-1) ?? '';
      for (const revision of [null, 1, 5]) {
        const headers = revision === null ? {} : { 'if-match': `"${revision}"` };
        const asked = { token, headers, body: bodies[move] ?? {} };
        const answer = await w.ask('POST', path.replace('{id}', w.id), asked);
        const none = await w.ask('POST', path.replace('{id}', 'hoff-none'), asked);
        expect([move, answer.status]).toEqual([move, 404]);
        expect(answer.text.replaceAll(w.id, 'ID')).toBe(none.text.replaceAll('hoff-none', 'ID'));
      }
    }
  });

  it('I12: is nothing that a stranger can follow, wait for or speak about', async () => {
    const w = await world();
    const refused = async (body: object): Promise<string> => {
      const answer = await w.as('other', 'POST', '/api/handoffs', { to: '@other', ...body });
      return answer.status < 300 ? 'sent' : (answer.json as { code: string }).code;
    };
    expect(await refused({ parent: w.id })).toBe('no-such-handoff');
    expect(await refused({ dependsOn: [w.id] })).toBe('no-such-handoff');
    expect(await refused({ parent: w.root })).toBe('sent');
    // To be a party of the root is no right to read what others made of it.
    const chainFor = async (who: Reader): Promise<string> =>
      (await w.as(who, 'GET', `/api/handoffs/${w.root}/chain`)).text;
    expect([(await chainFor('other')).includes(SECRET), (await chainFor('sender')).includes(SECRET)]).toEqual([
      false,
      true,
    ]);
    const reviewer = await w.as('reviewer', 'POST', '/api/handoffs', { to: '@reviewer', parent: w.id });
    expect([reviewer.status, reviewer.json]).toMatchObject([403, { code: 'not-entitled', op: 'follow' }]);
    const block = `handoff:\n  from: "@other"\n  to: "@other"\n  status: "pending"\n  handoff_id: "${w.id}"\n`;
    for (const status of ['pending', 'complete', 'in_progress']) {
      const text = `\`\`\`yaml\n${block.replace('pending', status)}\`\`\`\n`;
      const told = await w.as('other', 'POST', '/api/summaries', { text, session: status, turn: '1' });
      const [answer] = (told.json as { blocks: { fate: string; refusal?: { code: string } }[] }).blocks;
      expect([status, present(answer, 'an answer').refusal?.code]).toEqual([status, 'no-such-handoff']);
    }
    expect((await w.as('other', 'GET', '/api/handoffs?limit=100')).text).not.toContain(`"word"`);
  });

  it('Q14, I12: is an artifact, until somebody who may read it hands it on by name', async () => {
    const w = await world();
    const reads = async (who: Reader): Promise<number> => (await w.as(who, 'GET', '/api/artifacts/page-1')).status;
    const context = { page_artifact_id: 'page-1' };
    await w.as('other', 'POST', '/api/handoffs', { to: '@other', context });
    expect(await reads('other')).toBe(404);
    await w.as('doer', 'POST', '/api/handoffs', { to: '@other', context });
    expect(await reads('other')).toBe(200);
  });
});
