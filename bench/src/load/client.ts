import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { PlantRequests } from './plant-request.ts';
import type { Tally } from './tally.ts';

/** A client with at most one request in flight, which reopens its connection if it is lost. */
export interface Client {
  /** Sends a request that was due at that time. */
  send(dueAt: number, counted: Tally): void;
  close(): void;
}

export interface ClientParts {
  readonly requests: PlantRequests;
  /** The number of the next plant to send. */
  nextPlant(): number;
  /** The request was completed or lost, so another can be sent. */
  onFree(client: Client): void;
  onFailure(error: Error): void;
}

/** Connects. It supports only HTTP/1.1 responses with a Content-Length, which every contestant sends. */
export async function openClient(
  port: number,
  { requests, nextPlant, onFree, onFailure }: ClientParts,
): Promise<Client> {
  const request = requests.buffer();
  let inFlight: { dueAt: number; counted: Tally } | undefined;
  let unread: Buffer = Buffer.alloc(0);
  const client: Client = {
    send(dueAt, counted) {
      inFlight = { dueAt, counted };
      requests.render(request, nextPlant());
      counted.sent(dueAt, performance.now());
      socket.write(request);
    },
    close: () => socket.removeAllListeners('close').destroy(),
  };
  let socket = await open();
  return client;

  async function open(): Promise<Socket> {
    // One buffer for all responses of the connection: no stream, no garbage.
    const onread = { buffer: Buffer.allocUnsafe(8_192), callback: read };
    const opened = connect({ host: '127.0.0.1', port, noDelay: true, onread });
    await once(opened, 'connect');
    // Whatever breaks it also closes it.
    opened.on('error', () => {});
    return opened.once('close', () => void reopen().catch(onFailure));
  }

  async function reopen(): Promise<void> {
    const lost = inFlight;
    inFlight = undefined;
    unread = Buffer.alloc(0);
    lost?.counted.lost();
    socket = await open();
    // A client without a request in flight is already free.
    if (lost) onFree(client);
  }

  function read(length: number, buffer: Uint8Array): boolean {
    const chunk = Buffer.from(buffer.buffer, buffer.byteOffset, length);
    const bytes = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    const headEnd = bytes.indexOf('\r\n\r\n');
    const head = headEnd === -1 ? '' : bytes.toString('latin1', 0, headEnd);
    const bodyBytes = Number(contentLength.exec(head)?.[1]);
    if (headEnd === -1 || bytes.length < headEnd + 4 + bodyBytes) {
      // The buffer is reused, so the rest must be copied.
      unread = Buffer.from(bytes);
      return true;
    }
    unread = Buffer.alloc(0);
    completed(Number(head.slice(9, 12)), bodyBytes);
    return true;
  }

  function completed(status: number, bodyBytes: number): void {
    const answered = inFlight;
    inFlight = undefined;
    if (answered) {
      answered.counted.completed(status, bodyBytes === requests.responseBytes, answered.dueAt, performance.now());
      onFree(client);
    } else onFailure(new Error(`unexpected response with status ${status}`));
  }
}

const contentLength = /\r\ncontent-length: *(\d+)/i;
