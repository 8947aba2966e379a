/** Groups in the order of first appearance. Node 20 has no `Map.groupBy`. */
export function groupBy<Thing, Name>(
  things: readonly Thing[],
  nameOf: (thing: Thing) => Name,
): ReadonlyMap<Name, readonly Thing[]> {
  const groups = new Map<Name, Thing[]>();
  for (const thing of things) {
    const name = nameOf(thing);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [thing]);
    else group.push(thing);
  }
  return groups;
}
