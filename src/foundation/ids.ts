import type { Random } from './random.ts';

/**
 * A UUID of version 7. It sorts by time of creation as long as clocks agree, so that indexes grow at their right end.
 */
export function newUuid(nowMs: number, random: Random): string {
  const bytes = Buffer.from(random.bytes(16));
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
