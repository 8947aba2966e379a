/** Builds the text of a statement once for each combination of its parts. */
export function cachedStatement<Parts extends object>(make: (parts: Parts) => string): (parts: Parts) => string {
  const statements = new Map<string, string>();
  return (parts) => {
    const key = Object.values(parts).join();
    const statement = statements.get(key) ?? make(parts);
    statements.set(key, statement);
    return statement;
  };
}
