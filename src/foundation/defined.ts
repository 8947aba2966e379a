type Optional<Thing> = { [Name in keyof Thing]: undefined extends Thing[Name] ? Name : never }[keyof Thing];
type Flat<Thing> = { [Name in keyof Thing]: Thing[Name] };

/** The same object with its `undefined` fields left out: our optional fields are absent, and never `undefined`. */
export function defined<Thing extends object>(
  thing: Thing,
): Flat<Omit<Thing, Optional<Thing>> & { [Name in Optional<Thing>]?: Exclude<Thing[Name], undefined> }> {
  const made: Record<string, unknown> = {};
  for (const name of Object.keys(thing)) {
    const value = thing[name as keyof Thing];
    if (value !== undefined) made[name] = value;
  }
  return made as never;
}
