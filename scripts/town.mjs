/**
 * The living sample of `npm start`: a small town of agents that talk to a Baton server over its public interface. There is
 * always somebody at work, a question to answer, a delivery to review, something that failed and is tried again, a flow
 * and the verdict of a shadow test. It keeps a little of each open and never more, so it can run for days.
 */
const AGENTS = ['planner', 'builder', 'tester', 'writer', 'reviewer', 'deployer', 'shadow-smoke-test'];

const BUILDS = ['Profile header', 'Avatar upload', 'Settings drawer', 'Search box', 'Invoice table', 'Login form'];
const TESTS = ['Run the browser tests', 'Check the payment flow', 'Measure the start page', 'Test on a phone'];
const TEXTS = ['Guide for new users', 'Release notes', 'Help for invoices', 'Privacy page'];
const QUESTIONS = [
  ['Build: Round avatars', 'Shall the avatar be cut to a circle, or stay square?'],
  ['Build: Shorter addresses', 'The old addresses break when I rename the route. Keep them, or redirect?'],
  ['Write: Price list', 'Which of the two prices is right: 9 or 12 a month?'],
  ['Build: Smaller theme', 'May I delete the unused colors from the theme?'],
];
const PHASES = ['Research', 'Planning', 'Implementation', 'Testing'];

/** How much of each kind waits for a person at most. */
const QUESTIONS_MAX = 2;
const REVIEWS_MAX = 3;
const FAILED_MAX = 2;

export class Town {
  #url;
  #tokens = new Map();
  #turn = 0;

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
      await this.#build(true);
    }
    await this.#shadowTest();
    await this.#summary(0, 'complete');
    await this.#summary(1, 'complete');
    await this.#question();
    await this.#review();
    this.#turn += 1;
    await this.#review();
    await this.#failing();
    await this.#failed();
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
    else if (this.#turn % 31 === 0) await this.#summary(this.#turn % PHASES.length, 'complete');
    else await this.#build(false);
    await this.#workOn('tester');
    await this.#workOn('deployer');
  }

  async send(from, to, title, more = {}) {
    return this.ask(from, 'POST', '/handoffs', { from, to, title, ...more });
  }

  /** Somebody builds something; once in a while it stays at work until a later step. */
  async #build(atOnce) {
    const title = BUILDS[this.#turn % BUILDS.length];
    const late = await this.claim('builder');
    if (late !== null) await this.#deliver('builder', late, { built: late.title });
    await this.send('planner', 'builder', `Build: ${title}`, {
      input: { component: title.replaceAll(' ', '') },
      task: `SHOP-${100 + (this.#turn % 40)}`,
    });
    const taken = await this.claim('builder');
    if (taken === null) return;
    const says = 'the component renders, tests follow';
    await this.move('builder', taken, 'progress', { fence: taken.fence, fraction: 0.6, says });
    if (atOnce || this.#turn % 3 !== 0) await this.#deliver('builder', taken, { built: title });
    else
      setTimeout(() => void this.#deliver('builder', taken, { built: title }).catch(() => undefined), 20_000).unref();
  }

  async #workOn(agent) {
    const taken = await this.claim(agent);
    if (taken === null) return;
    if (taken.attempt === 1 && taken.title?.startsWith('Run') === true) {
      const message = '3 of 41 tests failed: the invoice total is off by one cent';
      await this.move(agent, taken, 'fail', { fence: taken.fence, code: 'PROCESSING_ERROR', message });
    } else await this.#deliver(agent, taken, { ok: true });
  }

  async #question() {
    const [title, question] = QUESTIONS[this.#turn % QUESTIONS.length];
    const { id } = await this.send('planner', 'writer', title, { input: 'Ask where something is not clear.' });
    const taken = await this.ask('writer', 'POST', `/handoffs/${id}/accept`, {});
    await this.move('writer', taken, 'block', { fence: taken.fence, question });
  }

  async #review() {
    const title = TEXTS[this.#turn % TEXTS.length];
    const { id } = await this.send('planner', 'writer', `Write: ${title}`, {
      input: `# ${title}\n\nTwo pages, in plain words, with one picture.`,
      deliverables: ['the text'],
      criteria: ['a stranger understands it', 'it names no internal tool'],
      verifiers: ['@reviewer'],
    });
    const taken = await this.ask('writer', 'POST', `/handoffs/${id}/accept`, {});
    const evidence = [{ deliverable: 'the text', kind: 'note', value: 'two pages; read aloud once' }];
    await this.move('writer', taken, 'deliver', { fence: taken.fence, result: `${title}: done`, evidence });
  }

  /** Fails once and is tried again. */
  async #failing() {
    const retry = { max: 2, delaySeconds: 45 };
    const { id } = await this.send('planner', 'tester', 'Run the browser tests', { retry });
    const taken = await this.ask('tester', 'POST', `/handoffs/${id}/accept`, {});
    const message = '3 of 41 tests failed: the invoice total is off by one cent';
    await this.move('tester', taken, 'fail', { fence: taken.fence, code: 'PROCESSING_ERROR', message });
  }

  /** Fails for good: only a person tries again. */
  async #failed() {
    const title = TESTS[this.#turn % TESTS.length];
    const { id } = await this.send('planner', 'deployer', title, { input: { target: 'staging' }, retry: { max: 0 } });
    const taken = await this.ask('deployer', 'POST', `/handoffs/${id}/accept`, {});
    const message = 'no access to "staging": the key has expired';
    await this.move('deployer', taken, 'fail', { fence: taken.fence, code: 'PROCESSING_ERROR', message });
  }

  async #summary(phase, status) {
    const lines = [
      'handoff:',
      `  phase: "${PHASES[phase]}"`,
      '  from: "@builder"',
      '  to: "@tester"',
      `  status: "${status}"`,
    ];
    const text = `Phase ${phase + 1} is done.\n\n\`\`\`yaml\n${lines.join('\n')}\n\`\`\`\n`;
    await this.ask(null, 'POST', '/summaries', {
      text,
      session: 'town',
      turn: `${Date.now()}-${phase}`,
      project: 'shop',
    });
  }

  async #shadowTest() {
    const { id } = await this.send('builder', 'shadow-smoke-test', 'Shadow test of acme/shop', {});
    const taken = await this.ask('shadow-smoke-test', 'POST', `/handoffs/${id}/accept`, {});
    await this.move('shadow-smoke-test', taken, 'deliver', { fence: taken.fence, result: VERDICT });
  }

  async #deliver(agent, taken, result) {
    await this.move(agent, taken, 'deliver', { fence: taken.fence, result });
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
