import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ContractViolation } from '@plant-store/contracts-kit';
import { type DeployedService, largestResponse, printable, RESPONSE_TIMEOUT_MS } from '../deployed-service.ts';
import type { HttpResponse } from './http-response.ts';
import { parseResponse } from './response-parser.ts';

/** A raw connection to the service: bytes are sent as they are, and responses are parsed strictly. */
export interface Connection {
  readonly service: DeployedService;
  /** Sends bytes, a character each (Latin-1). The service may have closed the connection in the meantime. */
  send(bytes: string): void;
  /**
   * Waits for the next response.
   * @throws {ContractViolation} if it is malformed, incomplete when the connection ends, or late.
   */
  response(options?: ResponseOptions): Promise<HttpResponse>;
  /** The same if the service may also close the connection without a response: undefined then. */
  responseOrEnd(options?: ResponseOptions): Promise<HttpResponse | undefined>;
  /**
   * Waits until the service has closed the connection.
   * @throws {ContractViolation} if it sends anything before, or does not close in time.
   */
  closed(options?: { readonly withinMs?: number }): Promise<void>;
  /** Signals that nothing more will be sent (FIN), and goes on reading. */
  finish(): void;
}

/** How to wait for a response. */
interface ResponseOptions {
  /** It is the response to a HEAD request, and so has no body. */
  readonly toHead?: boolean;
  /** {@link RESPONSE_TIMEOUT_MS} by default. */
  readonly withinMs?: number;
}

/**
 * Opens a connection, passes it to the callback, and destroys it afterwards.
 * @param what what will be sent, for messages: «a request with two Host headers».
 */
export async function onConnection<T>(
  service: DeployedService,
  what: string,
  talk: (connection: Connection) => Promise<T>,
): Promise<T> {
  const socket = open(service);
  try {
    return await talk(connectionOn(socket, service, what));
  } finally {
    socket.destroy();
  }
}

function open({ baseUrl }: DeployedService): Socket {
  const { protocol, hostname, port } = new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'http:') return connectTcp({ host, port: Number(port || 80) });
  const name = isIP(host) ? {} : { servername: host };
  return connectTls({ host, port: Number(port || 443), ALPNProtocols: ['http/1.1'], ...name });
}

function connectionOn(socket: Socket, service: DeployedService, what: string): Connection {
  let received: Buffer = Buffer.alloc(0);
  let sent = '';
  let end: string | undefined;
  let wake = () => {};
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    const limit = largestResponse(sent.length);
    if (received.length > limit) socket.destroy(new Error(`it sent more than ${limit} bytes`));
    wake();
  });
  socket.on('error', ({ message }) => ended(`the connection failed (${message})`));
  socket.on('end', () => ended('the connection was closed'));
  socket.on('close', () => ended('the connection was closed'));

  function ended(how: string): void {
    end ??= how;
    wake();
  }

  async function changeWithin(ms: number): Promise<boolean> {
    if (ms <= 0) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), ms);
    wake = () => resolve(true);
    return promise.finally(() => clearTimeout(timer));
  }

  const action = (bytes = sent) => `sent ${what} over a raw connection: ${printable(service, bytes)}`;
  const unread = () => printable(service, received.toString());
  const seen = () => (received.length === 0 ? '' : ` after ${unread()}`);

  async function responseOrEnd({
    toHead = false,
    withinMs = RESPONSE_TIMEOUT_MS,
  }: ResponseOptions = {}): Promise<HttpResponse | undefined> {
    const expected = `one well-formed HTTP response within ${withinMs} ms`;
    for (const deadline = Date.now() + withinMs; ; ) {
      const parsed = parseResponse(received, toHead);
      if (parsed.state === 'complete') {
        received = received.subarray(parsed.length);
        const { status, headers, body } = parsed;
        // More may be sent until it is called.
        const sentBefore = sent;
        return { service, action: () => action(sentBefore), status, headers, body };
      }
      if (parsed.state === 'malformed')
        throw new ContractViolation(action(), `a response that is not well-formed: ${parsed.fault}${seen()}`, expected);
      if (end !== undefined) {
        if (received.length === 0) return undefined;
        throw new ContractViolation(action(), `${end}${seen()}`, expected);
      }
      if (!(await changeWithin(deadline - Date.now())))
        throw new ContractViolation(action(), `nothing complete within ${withinMs} ms${seen()}`, expected);
    }
  }

  return {
    service,
    send(bytes) {
      sent += bytes;
      if (socket.writable) socket.write(bytes, 'latin1');
    },
    finish: () => void socket.end(),
    responseOrEnd,
    async response(options) {
      const response = await responseOrEnd(options);
      if (response) return response;
      throw new ContractViolation(action(), `${end}${seen()}`, 'one well-formed HTTP response');
    },
    async closed({ withinMs = RESPONSE_TIMEOUT_MS } = {}) {
      const expected = 'the connection is closed, and nothing is sent before';
      for (const deadline = Date.now() + withinMs; ; ) {
        if (received.length > 0)
          throw new ContractViolation(action(), `more bytes after the responses read so far: ${unread()}`, expected);
        if (end !== undefined) return;
        if (!(await changeWithin(deadline - Date.now())))
          throw new ContractViolation(action(), `the connection was still open after ${withinMs} ms`, expected);
      }
    },
  };
}
