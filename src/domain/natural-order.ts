/** Natural order of names: task-2 before task-10, task-15 before task-15.3. */
export function compareNatural(one: string, other: string): number {
  const left = partsOf(one);
  const right = partsOf(other);
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    const order = compareParts(left[at] ?? '', right[at] ?? '');
    if (order !== 0) return order;
  }
  // Names that differ only in leading zeros still have a fixed order.
  return left.length - right.length || compareTexts(one, other);
}

function partsOf(name: string): readonly string[] {
  return name.match(/\d+|\D+/g) ?? [];
}

function compareParts(one: string, other: string): number {
  if (!isNumber(one) || !isNumber(other)) return compareTexts(one, other);
  const left = one.replace(/^0+(?=\d)/, '');
  const right = other.replace(/^0+(?=\d)/, '');
  return left.length - right.length || compareTexts(left, right);
}

function isNumber(part: string): boolean {
  const code = part.charCodeAt(0);
  return code >= 0x30 && code <= 0x39;
}

/** By code unit, as in a file that other programs compare. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
