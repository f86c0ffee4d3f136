import { once } from 'node:events';
import { connect } from 'node:net';

/** The bearer token of every contestant that checks one. */
export const TOKEN = 'token-of-the-benchmark';

/** The body of the response. The body of the request also has the id, as the first member. */
const PLANT = JSON.stringify({ name: 'Monstera deliciosa', tag: 'indoor' });

/**
 * The request body of a plant. Its id has 18 digits, so that all bodies have the same length, and is anywhere in a B-tree. The
 * factor is coprime to the number of ids, so that different numbers have different ids.
 */
function bodyOf(number: number): string {
  const id = 100_000_000_000_000_000n + ((BigInt(number) * 556_230_589_874_905_421n) % 900_000_000_000_000_000n);
  return `{"id":${id},${PLANT.slice(1)}`;
}

/** A connection with at most one request in flight. */
export interface Client {
  /** Sends the plant of a number, in a request that was due at this time. */
  send(number: number, due: number): void;
  close(): void;
}

/**
 * Connects a client. It reads only HTTP/1.1 responses with a Content-Length, which every contestant sends.
 *
 * @param onFailure called if the connection is lost, or a response with status 200 is not the plant.
 */
export async function connectClient(
  port: number,
  onResponse: (client: Client, status: number, due: number) => void,
  onFailure: (error: Error) => void,
): Promise<Client> {
  const headers = `Authorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: ${bodyOf(0).length}`;
  const head = `POST /plants HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}\r\n\r\n`;
  let inFlightSince = 0;
  let received = '';
  // One buffer for all responses is faster than a stream.
  const onread = { buffer: Buffer.allocUnsafe(8_192), callback: read };
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread });
  await once(socket, 'connect');
  socket.on('error', onFailure).on('close', () => onFailure(new Error(`a connection to port ${port} was lost`)));
  const client: Client = {
    send(number, due) {
      inFlightSince = due;
      socket.write(head + bodyOf(number), 'latin1');
    },
    close: () => socket.destroy(),
  };
  return client;

  function read(length: number, buffer: Uint8Array): boolean {
    received += Buffer.from(buffer.buffer, buffer.byteOffset, length).toString('latin1');
    const [, status, bodyLength, body] = RESPONSE.exec(received) ?? [];
    if (body === undefined || body.length < Number(bodyLength)) return true;
    received = '';
    if (status === '200' && body !== PLANT) onFailure(new Error(`not the plant that was sent: ${body}`));
    else onResponse(client, Number(status), inFlightSince);
    return true;
  }
}

const RESPONSE = /^HTTP\/1\.1 (\d{3}) .*?\r\ncontent-length: *(\d+).*?\r\n\r\n(.*)$/is;
