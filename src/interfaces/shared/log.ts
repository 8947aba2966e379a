/** The log of the server. It holds names and numbers, never the content of handoffs. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type Log = Record<LogLevel, (facts: Readonly<Record<string, unknown>>, says: string) => void>;
