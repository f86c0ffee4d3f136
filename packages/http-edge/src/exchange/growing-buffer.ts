/** The capacity of the first one, in bytes: more than most records. */
const FIRST = 256;

/** Bytes that arrive in pieces, one after the other in one buffer: a Buffer for each piece would take some 300 bytes more. */
export class GrowingBuffer {
  length = 0;
  readonly #most: number;
  #buffer = Buffer.alloc(0);

  /** @param most how many bytes may come, if that is known. */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** How many bytes of memory it takes once it has so many. */
  capacityFor(length: number): number {
    let capacity = Math.max(FIRST, this.#buffer.length);
    while (capacity < length) capacity *= 2;
    return Math.max(length, Math.min(capacity, this.#most));
  }

  append(piece: Buffer): void {
    const length = this.length + piece.length;
    if (length > this.#buffer.length) {
      // Not from Node's pool, which would be kept by it as a whole.
      const larger = Buffer.allocUnsafeSlow(this.capacityFor(length));
      this.#buffer.copy(larger, 0, 0, this.length);
      this.#buffer = larger;
    }
    piece.copy(this.#buffer, this.length);
    this.length = length;
  }

  /** All bytes so far, not copied. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }
}
