/** A message of Protocol Buffers, without its schema: what each field number holds, in the order in which it came. */
export class Message {
  readonly #fields = new Map<number, (bigint | Buffer)[]>();

  /** @param bytes in the wire format (https://protobuf.dev/programming-guides/encoding/); throws for anything else. */
  constructor(bytes: Buffer) {
    let at = 0;
    const varint = (): bigint => {
      let value = 0n;
      for (let shift = 0n; ; shift += 7n) {
        const byte = bytes.readUInt8(at++);
        value |= BigInt(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
      }
    };
    const piece = (length: number): Buffer => {
      if (at + length > bytes.length) throw new RangeError('the message ends within a field');
      at += length;
      return bytes.subarray(at - length, at);
    };
    while (at < bytes.length) {
      const key = Number(varint());
      const values = this.#fields.get(key >> 3) ?? [];
      this.#fields.set(key >> 3, values);
      if ((key & 7) === 0) values.push(varint());
      else if ((key & 7) === 1) values.push(piece(8));
      else if ((key & 7) === 2) values.push(piece(Number(varint())));
      else if ((key & 7) === 5) values.push(piece(4));
      else throw new RangeError(`no wire type ${key & 7}`);
    }
  }

  has(field: number): boolean {
    return this.#fields.has(field);
  }

  messages(field: number): Message[] {
    return this.#pieces(field).map((bytes) => new Message(bytes));
  }

  message(field: number): Message {
    return this.messages(field)[0] ?? new Message(Buffer.alloc(0));
  }

  text(field: number): string {
    return this.#pieces(field)[0]?.toString() ?? '';
  }

  hex(field: number): string {
    return this.#pieces(field)[0]?.toString('hex') ?? '';
  }

  /** An integer in a varint. */
  integer(field: number): number {
    return Number(this.#fields.get(field)?.[0] ?? 0);
  }

  double(field: number): number {
    return this.#pieces(field)[0]?.readDoubleLE() ?? 0;
  }

  /** Packed doubles. */
  doubles(field: number): number[] {
    return this.#eights(field).map((bytes) => bytes.readDoubleLE());
  }

  /** An integer of eight bytes, or packed ones. */
  fixed64s(field: number): number[] {
    return this.#eights(field).map((bytes) => Number(bytes.readBigUInt64LE()));
  }

  #eights(field: number): Buffer[] {
    const all = Buffer.concat(this.#pieces(field));
    return Array.from({ length: all.length / 8 }, (_, at) => all.subarray(8 * at, 8 * at + 8));
  }

  #pieces(field: number): Buffer[] {
    return (this.#fields.get(field) ?? []).filter((value) => typeof value !== 'bigint');
  }
}
