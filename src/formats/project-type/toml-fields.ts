/** As much of TOML as package files need: the lines of one table, and a text in it. No parser, and no claim to be one. */

/** The lines between `[name]` and the next table, without comments of their own. */
export function tomlTable(text: string, name: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const at = lines.indexOf(`[${name}]`);
  if (at === -1) return [];
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => /^\[[^\]"']+\]$/.test(line) || line.startsWith('[['));
  return (end === -1 ? rest : rest.slice(0, end)).filter((line) => line !== '' && !line.startsWith('#'));
}

export function tomlText(table: readonly string[], key: string): string | null {
  for (const line of table) {
    const found = /^([A-Za-z0-9_-]+)\s*=\s*(["'])([^"']*)\2/.exec(line);
    if (found?.[1] === key) return found[3] ?? null;
  }
  return null;
}
