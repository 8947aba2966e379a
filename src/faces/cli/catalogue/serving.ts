/** Leaving something running that others come to. */
import type { CommandEntry } from './entry.ts';
import { REPEATED } from './handing.ts';

export const SERVING: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'answer over HTTP, with the dashboard; prints the link that opens it',
    options: [
      ['--host <address>', 'where to listen (default: 127.0.0.1)'],
      ['--port <n>', 'at which port; 0 takes any that is free (default: 22866)'],
      ['--allow-host <name>', 'another name it is called by, such as that of a proxy (may be repeated)', REPEATED],
      ['--without-tls', 'let others than this machine in, although nothing is encrypted'],
      ['--log-level <level>', 'debug, info, warn or error', { choices: ['debug', 'info', 'warn', 'error'] }],
    ],
    note:
      'It also does what baton work does beside its work: sweeps, folders, effects; and it works for the agents whose\n' +
      'command stands in baton.yaml. A second one in the same workspace says where the first is, with a new link.',
    example: 'serve --port 8080',
    load: async () => (await import('../commands/serve.ts')).serve,
  },
];
