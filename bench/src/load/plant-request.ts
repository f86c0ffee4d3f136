import type { Order } from './load.ts';

/** The requests of a load: rendered once, then only the digits of the id change. */
export interface PlantRequests {
  /** A new request, for one connection. */
  readonly buffer: () => Buffer;
  /** Turns it into the request for the plant with this number. */
  readonly render: (request: Buffer, plant: number) => void;
  /** Length of the response body: a Plant with name and tag, without spaces. */
  readonly responseBytes: number;
}

export function plantRequests({ port, token, ids, nameBytes }: Order): PlantRequests {
  const plant = { name: plantName(nameBytes), tag: 'indoor' };
  const response = JSON.stringify(plant);
  const body = `{"id":${'0'.repeat(ID_DIGITS)},${response.slice(1)}`;
  const head = [
    'POST /plants HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '\r\n',
  ].join('\r\n');
  const request = Buffer.from(head + body);
  const at = head.length + '{"id":'.length;
  const idOf = ids === 'random' ? scattered : inOrder;
  return {
    buffer: () => Buffer.from(request),
    render(bytes, number) {
      const [upper, lower] = idOf(number);
      writeDigits(bytes, at, upper);
      writeDigits(bytes, at + HALF_DIGITS, lower);
    },
    responseBytes: response.length,
  };
}

/** A name of this many ASCII characters. */
export function plantName(bytes: number): string {
  return 'Monstera deliciosa '.repeat(Math.ceil(bytes / 19)).slice(0, bytes);
}

/** 18 digits: every such number is an int64, and all have the same length. */
const ID_DIGITS = 18;
const HALF_DIGITS = 9;
const LOWER = 1_000_000_000;
/** The first digit is not 0. */
const UPPER_FROM = 100_000_000;
const UPPER = LOWER - UPPER_FROM;

type Halves = readonly [upper: number, lower: number];

function inOrder(number: number): Halves {
  return [UPPER_FROM + Math.floor(number / LOWER), number % LOWER];
}

/**
 * A Feistel network over the two halves: it is invertible, so different numbers have different ids without keeping a list.
 */
function scattered(number: number): Halves {
  let upper = Math.floor(number / LOWER) % UPPER;
  let lower = number % LOWER;
  for (let round = 1; round <= 3; round += 1) {
    upper = (upper + mixed(lower, round)) % UPPER;
    lower = (lower + mixed(upper, -round)) % LOWER;
  }
  return [UPPER_FROM + upper, lower];
}

/** MurmurHash3's finalizer: https://github.com/aappleby/smhasher/wiki/MurmurHash3. */
function mixed(half: number, salt: number): number {
  let hash = half ^ Math.imul(salt, 0x9e3779b9);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function writeDigits(bytes: Buffer, at: number, half: number): void {
  for (let place = at + HALF_DIGITS - 1, rest = half; place >= at; place -= 1) {
    const tenth = Math.floor(rest / 10);
    bytes[place] = 48 + rest - tenth * 10;
    rest = tenth;
  }
}
