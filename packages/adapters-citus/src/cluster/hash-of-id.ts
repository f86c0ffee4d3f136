/**
 * PostgreSQL's hash of an int64, by whose value Citus finds the shard of a row (`hashint8`, src/backend/access/hash/hashfunc.c):
 * Bob Jenkins' lookup3 of one word, as a signed int32.
 */
export function hashOfId(id: bigint): number {
  const low = Number(BigInt.asIntN(32, id));
  const high = Number(id >> 32n);
  // So that an int64 has the hash of the equal int32.
  return hashOfWord(low ^ (id < 0n ? ~high : high));
}

/** `hash_bytes_uint32`, src/common/hashfn.c. */
function hashOfWord(word: number): number {
  const start = (0x9e3779b9 + 4 + 3_923_095) | 0;
  let [a, b, c] = [start + word, start, start];
  c = (c ^ b) - rotated(b, 14);
  a = (a ^ c) - rotated(c, 11);
  b = (b ^ a) - rotated(a, 25);
  c = (c ^ b) - rotated(b, 16);
  a = (a ^ c) - rotated(c, 4);
  b = (b ^ a) - rotated(a, 14);
  return ((c ^ b) - rotated(b, 24)) | 0;
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
