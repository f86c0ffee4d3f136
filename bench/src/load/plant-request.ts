/** The requests of a load: rendered once, then only the digits of the id change. */
export interface PlantRequests {
  /** A new request, for one connection. */
  readonly buffer: () => Buffer;
  /** Turns it into the request for the plant with this number. */
  readonly render: (request: Buffer, plant: number) => void;
  /** Length of the response body: a Plant with name and tag, without spaces. */
  readonly responseBytes: number;
}

export function plantRequests(port: number, token: string): PlantRequests {
  const response = JSON.stringify({ name: 'Monstera deliciosa', tag: 'indoor' });
  const body = `{"id":${idOf(0)},${response.slice(1)}`;
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
  return {
    buffer: () => Buffer.from(request),
    render: (bytes, plant) => void bytes.write(String(idOf(plant)), at, 'latin1'),
    responseBytes: response.length,
  };
}

const FIRST_ID = 100_000_000_000_000_000n;
const IDS = 900_000_000_000_000_000n;

/**
 * 18 digits, so that each is an int64 and all have the same length, anywhere in a B-tree. The factor has no divisor in common
 * with the number of ids, so different numbers have different ids without keeping a list.
 */
function idOf(plant: number): bigint {
  return FIRST_ID + ((BigInt(plant) * 556_230_589_874_905_421n) % IDS);
}
