/**
 * Databases for tests of what a command says and does with any store. That stores do the same is shown by the contract
 * suite, and that commands reach both by cli/whole-life, cli/send-and-wait, cli/interrupts and crash/: so `npm test`
 * takes the first database here, and `npm run test:long` both.
 */
import { campaignSize } from '../support/campaign-sizes.ts';
import { databases, type TestDatabase } from './workspaces.ts';

export const commandDatabases: readonly TestDatabase[] = databases.slice(0, campaignSize('BATON_COMMAND_DATABASES'));
