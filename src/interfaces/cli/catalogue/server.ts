/** The server. */
import type { CommandEntry } from './entry.ts';
import { REPEATED } from './send-and-work.ts';

export const SERVER_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'run the HTTP server with the dashboard; prints a login link',
    options: [
      ['--host <address>', 'the address to listen on (default: 127.0.0.1)'],
      ['--port <n>', 'the port; 0 takes any free one (default: 22866)'],
      ['--allow-host <name>', 'another host name of this server, such as that of a proxy (may be repeated)', REPEATED],
      ['--without-tls', 'allow connections from other machines without encryption'],
      ['--log-level <level>', 'debug, info, warn or error', { choices: ['debug', 'info', 'warn', 'error'] }],
    ],
    note:
      'The server also expires handoffs, syncs folders and sends notifications, and it runs the commands of the agents in\n' +
      'baton.yaml. A second server in the same workspace prints a new link to the first one and ends.',
    example: 'serve --port 8080',
    load: async () => (await import('../commands/serve.ts')).serve,
  },
];
