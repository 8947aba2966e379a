/**
 * The living sample of `npm start`: a small town of agents that talk to a Baton server over its public interface. There is
 * always somebody at work, a question to answer, a delivery to review, something that failed and is tried again, a flow
 * and the verdict of a shadow test. It keeps a little of each open and never more, so it can run for days.
 */
const AGENTS = ['planner', 'builder', 'tester', 'writer', 'reviewer', 'deployer', 'shadow-smoke-test', 'checkout-team'];
const WORKERS = ['builder', 'tester', 'writer', 'deployer'];

/** What takes a while: somebody is always at work. */
const LONG = [
  ['builder', 'Build: Order history', 'the list renders, tests follow'],
  ['tester', 'Test: Payment with a card', '12 of 20 cases are done'],
  ['writer', 'Write: Terms of delivery', 'the second page is written'],
  ['deployer', 'Deploy: Image server', 'two of three machines are done'],
];
const LONG_STEP_MS = 6_000;
const LONG_STEPS = 4;
const BUILDS = ['Profile header', 'Avatar upload', 'Settings drawer', 'Search box', 'Invoice table', 'Login form'];
const TESTS = ['Roll out to staging', 'Copy the database to staging', 'Renew the certificate', 'Clear the cache'];
const TEXTS = ['Guide for new users', 'Release notes', 'Help for invoices', 'Privacy page'];
const QUESTIONS = [
  ['Build: Round avatars', 'Shall the avatar be cut to a circle, or stay square?'],
  ['Build: Shorter addresses', 'The old addresses break when I rename the route. Keep them, or redirect?'],
  ['Write: Price list', 'Which of the two prices is right: 9 or 12 a month?'],
  ['Build: Smaller theme', 'May I delete the unused colors from the theme?'],
];
/** What the writer shows for a deliverable. */
const SEEN = { kind: 'note', value: 'two pages; read aloud once' };
/** Who does the tasks of the flow. */
const TEAM = 'checkout-team';
/** The tasks of the flow: phase, name, what each needs. */
const TASKS = [
  ['Research', 'ask-customers', []],
  ['Planning', 'plan-checkout', ['ask-customers']],
  ['Implementation', 'cart', ['plan-checkout']],
  ['Implementation', 'payment', ['plan-checkout']],
  ['Implementation', 'mails', ['plan-checkout']],
  ['Testing', 'try-checkout', ['cart', 'payment', 'mails']],
];

const TESTS_FAILED = '3 of 41 tests failed: the invoice total is off by one cent';

/** How much of each kind waits for a person at most. */
const QUESTIONS_MAX = 2;
const REVIEWS_MAX = 3;
const FAILED_MAX = 2;

export class Town {
  #url;
  #tokens = new Map();
  #turn = 0;
  #tasksLeft = 0;
  /** How often something was taken from each list. */
  #taken = new Map();

  /** `token` is an operator's. */
  constructor(url, token) {
    this.#url = url;
    this.#tokens.set(null, token);
  }

  /** Makes itself known and a little past, so that there is something to look at from the first second on. */
  async settle(lives = 12) {
    for (const agent of AGENTS) {
      const { token } = await this.ask(null, 'POST', '/tokens', {
        agent,
        label: 'sample town',
        expiresSeconds: 604_800,
      });
      this.#tokens.set(agent, token);
    }
    for (let life = 0; life < lives; life += 1) {
      this.#turn += 1;
      await this.#build();
    }
    await this.#shadowTest();
    await this.#flow();
    await this.#work();
    await this.#work();
    const { counts } = await this.ask(null, 'GET', '/attention?limit=0');
    if (counts.question === 0) await this.#question();
    for (let open = counts.review; open < 2; open += 1) await this.#review();
    if (counts.failing === 0) await this.#failing();
    if (counts.failed === 0) await this.#failed();
    for (const title of ['Dark mode', 'Printable invoices', 'Keyboard help']) {
      await this.send('planner', 'deployer', `Deploy: ${title}`, {
        priority: title === 'Dark mode' ? 'high' : 'normal',
      });
    }
  }

  /** One small step; call it every second or two. */
  async step() {
    this.#turn += 1;
    const { counts } = await this.ask(null, 'GET', '/attention?limit=0');
    if (this.#turn % 7 === 0 && counts.question < QUESTIONS_MAX) await this.#question();
    else if (this.#turn % 9 === 0 && counts.review < REVIEWS_MAX) await this.#review();
    else if (this.#turn % 11 === 0 && counts.failing === 0) await this.#failing();
    else if (this.#turn % 29 === 0 && counts.failed < FAILED_MAX) await this.#failed();
    else if (this.#turn % 31 === 0) await this.#flow();
    else if (this.#turn % 4 === 0) await this.#work();
    else await this.#build();
    for (const agent of WORKERS) await this.#workOn(agent);
  }

  async send(from, to, title, more = {}) {
    return this.ask(from, 'POST', '/handoffs', { from, to, title, ...more });
  }

  /** Somebody builds something at once. */
  async #build() {
    const title = this.#next(BUILDS);
    await this.send('planner', 'builder', `Build: ${title}`, {
      input: { component: title.replaceAll(' ', '') },
      task: `SHOP-${100 + (this.#turn % 40)}`,
    });
    await this.#workOn('builder');
  }

  /** Somebody begins something that takes a while, and says how far it is. */
  async #work() {
    const [agent, title, says] = this.#next(LONG);
    const { id } = await this.send('planner', agent, title);
    const taken = await this.#accept(agent, id);
    const goOn = async () => {
      for (let step = 1; step < LONG_STEPS; step += 1) {
        await this.move(agent, taken, 'progress', { fence: taken.fence, fraction: step / LONG_STEPS, says });
        await new Promise((resolve) => setTimeout(resolve, LONG_STEP_MS).unref());
      }
      await this.#deliver(agent, taken, { ok: true });
    };
    // A person may cancel it meanwhile.
    void goOn().catch(() => undefined);
  }

  /** Takes what waits, and says whether there was anything: also what a person answered, tried again or sent back. */
  async #workOn(agent) {
    const taken = await this.claim(agent);
    if (taken === null) return false;
    if (taken.attempt === 1 && taken.title?.startsWith('Run') === true) {
      await this.#fail(agent, taken, TESTS_FAILED);
    } else await this.#deliver(agent, taken, { ok: true });
    return true;
  }

  async #question() {
    const [title, question] = this.#next(QUESTIONS);
    const { id } = await this.send('planner', 'writer', title, { input: 'Ask where something is not clear.' });
    const taken = await this.#accept('writer', id);
    await this.move('writer', taken, 'block', { fence: taken.fence, question });
  }

  async #review() {
    const title = this.#next(TEXTS);
    const { id } = await this.send('planner', 'writer', `Write: ${title}`, {
      input: `# ${title}\n\nTwo pages, in plain words, with one picture.`,
      deliverables: ['the text'],
      criteria: ['a stranger understands it', 'it names no internal tool'],
      verifiers: ['@reviewer'],
    });
    const taken = await this.#accept('writer', id);
    await this.#deliver('writer', taken, `${title}: done`);
  }

  /** Fails once and is tried again. */
  async #failing() {
    const retry = { max: 2, delaySeconds: 45 };
    const { id } = await this.send('planner', 'tester', 'Run the browser tests', { retry });
    const taken = await this.#accept('tester', id);
    await this.#fail('tester', taken, TESTS_FAILED);
  }

  /** Fails for good: only a person tries again. */
  async #failed() {
    const title = this.#next(TESTS);
    const { id } = await this.send('planner', 'deployer', title, { input: { target: 'staging' }, retry: { max: 0 } });
    const taken = await this.#accept('deployer', id);
    await this.#fail('deployer', taken, 'no access to "staging": the key has expired');
  }

  /** The next task of the flow is done. After the last one, it begins again. */
  async #flow() {
    if (this.#tasksLeft === 0) {
      for (const task of TASKS) await this.#summary(task);
      this.#tasksLeft = TASKS.length;
    }
    if (await this.#workOn(TEAM)) this.#tasksLeft -= 1;
  }

  /** The planner is done with a task and hands it on: it waits for what it needs. */
  async #summary([phase, task, needs]) {
    const lines = [
      'handoff:',
      `  phase: "${phase}"`,
      '  from: "@planner"',
      `  to: "@${TEAM}"`,
      '  status: "complete"',
      `  dependencies: ${JSON.stringify(needs)}`,
      '  context:',
      `    task: "${task}"`,
    ];
    const text = `About ${task}.\n\n\`\`\`yaml\n${lines.join('\n')}\n\`\`\`\n`;
    const turn = `${Date.now()}-${task}`;
    await this.ask(null, 'POST', '/summaries', { text, session: 'town', turn, project: 'shop' });
  }

  async #shadowTest() {
    const { id } = await this.send('builder', 'shadow-smoke-test', 'Shadow test of acme/shop', {});
    const taken = await this.#accept('shadow-smoke-test', id);
    await this.move('shadow-smoke-test', taken, 'deliver', { fence: taken.fence, result: VERDICT });
  }

  async #deliver(agent, taken, result) {
    const evidence = (taken.deliverables ?? []).map((deliverable) => ({ deliverable, ...SEEN }));
    await this.move(agent, taken, 'deliver', { fence: taken.fence, result, evidence });
  }

  /** One of a list after the other, round and round. */
  #next(list) {
    const count = this.#taken.get(list) ?? 0;
    this.#taken.set(list, count + 1);
    return list[count % list.length];
  }

  #accept(agent, id) {
    return this.ask(agent, 'POST', `/handoffs/${id}/accept`, {});
  }

  #fail(agent, taken, message) {
    return this.move(agent, taken, 'fail', { fence: taken.fence, code: 'PROCESSING_ERROR', message });
  }

  /** Null: nothing is offered. */
  async claim(agent) {
    return this.ask(agent, 'POST', '/claims', {});
  }

  async move(agent, { id }, move, body) {
    return this.ask(agent, 'POST', `/handoffs/${encodeURIComponent(id)}/${move}`, body);
  }

  async ask(agent, method, path, body) {
    const answer = await fetch(`${this.#url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#tokens.get(agent)}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.status === 204) return null;
    const said = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${said.detail}`);
    return said;
  }
}

const point = (question, points, max, output) => ({
  points,
  max_points: max,
  question,
  judged: 'test',
  says: points < max ? 'exit code 1: the invoice total is off by one cent' : 'yes',
  ...(points < max ? { todo: 'Round once, at the end.' } : {}),
  runs: [{ command: 'npm test', exit_code: points < max ? 1 : 0, duration_ms: 4_210, output }],
});

const VERDICT = {
  verdict: 'PASS',
  mode: 'shadow',
  score: 80,
  max_score: 100,
  pass_threshold: 75,
  evidence: {
    code_execution: {
      score: 20,
      max_score: 40,
      points: {
        starts: point('Does it start?', 20, 20, 'listening'),
        tests: point('Do its own tests pass?', 0, 20, 'not ok 3 - adds up an invoice'),
      },
    },
    integration: { score: 60, max_score: 60, points: { calls: point('Do its callers still work?', 60, 60, 'ok') } },
    environment: { base: 'an empty container', warnings: [] },
  },
  issues_found: ['the invoice total is off by one cent'],
  recommendations: ['Round once, at the end.'],
};
