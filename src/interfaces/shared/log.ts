/** Where the server writes what happens, by how much it matters: names and numbers, never contents. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type Log = Record<LogLevel, (facts: Readonly<Record<string, unknown>>, says: string) => void>;
