import postgres from 'postgres';

/** Counts by one SQL statement (`SELECT count(*)::int AS open …`) over a connection that stays. */
export function openCount(url: string, statement: string): { count(): Promise<number>; close(): Promise<void> } {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  return {
    count: async () => (await sql.unsafe(statement))[0]?.['open'] as number,
    close: () => sql.end(),
  };
}
