/** The implementation of `App` that the command line gets. */
import type { App } from '../interfaces/cli/app.ts';

/** Each part is loaded when a command needs it. */
export const APP: App = {
  openWorkspace: async (options) => (await import('./open-workspace.ts')).openWorkspace(options),
  makeWorkspace: async (folder, options) => (await import('./make-workspace.ts')).makeWorkspace(folder, options),
  openLog: async (level, write) => (await import('./serve/log.ts')).openLog(level, write),
  serveMcp: async (opened, principal, options) =>
    (await import('./mcp/serve-mcp.ts')).serveMcp(opened, principal, options),
  startServing: async (opened, options) => (await import('./serve/serve.ts')).startServing(opened, options),
};
