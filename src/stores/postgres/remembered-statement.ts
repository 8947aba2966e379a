/** Makes the text of a statement once for each set of the parts that it has. */
export function rememberedStatement<Parts extends object>(make: (parts: Parts) => string): (parts: Parts) => string {
  const statements = new Map<string, string>();
  return (parts) => {
    const key = Object.values(parts).join();
    const statement = statements.get(key) ?? make(parts);
    statements.set(key, statement);
    return statement;
  };
}
