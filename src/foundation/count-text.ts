/** `1 file`, `2,000 files`; without a word for what is counted, the number alone. */
export function counted(count: number, what?: string): string {
  const number = count.toLocaleString('en-US');
  return what === undefined ? number : `${number} ${what}${count === 1 ? '' : 's'}`;
}
