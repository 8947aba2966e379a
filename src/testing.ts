/** For people who test their own workers and senders: `import { openTestBaton } from 'batonpass/testing'`. */
export { openTestBaton, type TestBaton, type TestBatonOptions } from './app/open-test-baton.ts';
export type { TestClock } from './app/test-clock.ts';
