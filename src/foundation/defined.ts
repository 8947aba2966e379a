type Optional<Thing> = { [Name in keyof Thing]: undefined extends Thing[Name] ? Name : never }[keyof Thing];
type Flat<Thing> = { [Name in keyof Thing]: Thing[Name] };

/** A copy without `undefined` fields: our optional fields are absent, never `undefined`. */
export function defined<Thing extends object>(
  thing: Thing,
): Flat<Omit<Thing, Optional<Thing>> & { [Name in Optional<Thing>]?: Exclude<Thing[Name], undefined> }> {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(thing)) {
    const value = thing[name as keyof Thing];
    if (value !== undefined) copy[name] = value;
  }
  return copy as never;
}
