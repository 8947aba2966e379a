/** SHA-256 (FIPS 180-4) in JavaScript, for a few short texts in a process that has not loaded `node:crypto`. */

const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;
const END_MARK = 0x80;
/** As bits, the length of any text that fits into memory needs more than 32 of them. */
const BYTES_IN_HIGH_WORD = 2 ** 29;

// oxfmt-ignore
const ROUND_CONSTANTS = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);
// oxfmt-ignore
const FIRST_STATE = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
] as const;

export function sha256(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const padded = Buffer.alloc(Math.ceil((length + 1 + LENGTH_BYTES) / BLOCK_BYTES) * BLOCK_BYTES);
  padded.write(text);
  padded[length] = END_MARK;
  padded.writeUInt32BE(Math.floor(length / BYTES_IN_HIGH_WORD), padded.length - 8);
  padded.writeUInt32BE((length * 8) >>> 0, padded.length - 4);
  const state = Int32Array.from(FIRST_STATE);
  const words = new Int32Array(ROUND_CONSTANTS.length);
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) {
    expand(words, padded, at);
    compress(state, words);
  }
  const digest = Buffer.alloc(state.length * 4);
  for (const [index, word] of state.entries()) digest.writeInt32BE(word, index * 4);
  return digest;
}

/** The names of the standard: w are the words of a block, a to h the state. */
function expand(w: Int32Array, bytes: Buffer, at: number): void {
  for (let t = 0; t < 16; t += 1) w[t] = bytes.readInt32BE(at + t * 4);
  for (let t = 16; t < w.length; t += 1) {
    const x = w[t - 15] as number;
    const y = w[t - 2] as number;
    const small0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const small1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[t] = (w[t - 16] as number) + small0 + (w[t - 7] as number) + small1;
  }
}

function compress(state: Int32Array, w: Int32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let t = 0; t < w.length; t += 1) {
    // Written out: before V8 has optimized it, a call for each rotation would be most of the time.
    const big1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const big0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const t1 = h + big1 + choice + (ROUND_CONSTANTS[t] as number) + (w[t] as number);
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + big0 + majority) | 0;
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] as number) + word;
}
