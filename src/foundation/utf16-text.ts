/** The text of a file with a UTF-16 byte order mark, as some Windows editors write it; null: no such mark. */
export function utf16TextOf(bytes: Buffer): string | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return bytes.toString('utf16le');
  if (first !== 0xfe || second !== 0xff) return null;
  const whole = bytes.subarray(0, bytes.length & ~1);
  return Buffer.from(whole).swap16().toString('utf16le');
}
