import { isUtf8 } from 'node:buffer';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ContractViolation } from '@plant-store/contracts-kit';
import { type DeployedService, largestResponse, printable, RESPONSE_TIMEOUT_MS } from '../deployed-service.ts';
import { type HttpResponse, parseResponse } from './response-parser.ts';

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
    return await talk(new Connection(service, what, socket));
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

/** A raw connection to the service: bytes are sent as they are, and responses are parsed strictly. */
export class Connection {
  readonly service: DeployedService;
  readonly #what: string;
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #sent = '';
  #end: string | undefined;
  #wake = () => {};

  constructor(service: DeployedService, what: string, socket: Socket) {
    this.service = service;
    this.#what = what;
    this.#socket = socket
      .on('data', (bytes: Buffer) => this.#receive(bytes))
      .on('error', ({ message }) => this.#ended(`the connection failed (${message})`))
      .on('end', () => this.#ended('the connection was closed'))
      .on('close', () => this.#ended('the connection was closed'));
  }

  /** Sends bytes, a character each (Latin-1). The service may have closed the connection in the meantime. */
  send(bytes: string): void {
    this.#sent += bytes;
    if (this.#socket.writable) this.#socket.write(bytes, 'latin1');
  }

  /**
   * Waits for the next response, which has no body if it is the one `toHead`.
   * @throws {ContractViolation} if it is malformed, incomplete when the connection ends, or late.
   */
  async response({ toHead = false, withinMs = RESPONSE_TIMEOUT_MS } = {}): Promise<HttpResponse> {
    const expected = `one well-formed HTTP response within ${withinMs} ms`;
    const seen = () => (this.#received.length === 0 ? '' : ` after ${this.#unread()}`);
    for (const deadline = Date.now() + withinMs; ; ) {
      const parsed = parseResponse(this.#received, toHead);
      if (parsed.state === 'complete') {
        this.#received = this.#received.subarray(parsed.length);
        const { status, headers, body } = parsed;
        // More may be sent until it is called.
        const sent = this.#sent;
        return { service: this.service, action: () => this.#action(sent), status, headers, body };
      }
      if (parsed.state === 'malformed')
        this.#fail(`a response that is not well-formed: ${parsed.fault}${seen()}`, expected);
      if (this.#end !== undefined) this.#fail(`${this.#end}${seen()}`, expected);
      if (!(await this.#changeUntil(deadline))) this.#fail(`nothing complete within ${withinMs} ms${seen()}`, expected);
    }
  }

  /**
   * Waits until the service has closed the connection.
   * @throws {ContractViolation} if it sends anything before, or does not close in time.
   */
  async closed({ withinMs = RESPONSE_TIMEOUT_MS } = {}): Promise<void> {
    const expected = 'the connection is closed, and nothing is sent before';
    for (const deadline = Date.now() + withinMs; ; ) {
      if (this.#received.length > 0)
        this.#fail(`more bytes after the responses read so far: ${this.#unread()}`, expected);
      if (this.#end !== undefined) return;
      if (!(await this.#changeUntil(deadline)))
        this.#fail(`the connection was still open after ${withinMs} ms`, expected);
    }
  }

  #receive(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    const limit = largestResponse(this.#sent.length);
    if (this.#received.length > limit) this.#socket.destroy(new Error(`it sent more than ${limit} bytes`));
    this.#wake();
  }

  #ended(how: string): void {
    this.#end ??= how;
    this.#wake();
  }

  async #changeUntil(deadline: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), Math.max(0, deadline - Date.now()));
    this.#wake = () => resolve(true);
    return promise.finally(() => clearTimeout(timer));
  }

  #action(bytes: string): string {
    const decoded = Buffer.from(bytes, 'latin1');
    return `sent ${this.#what}: ${printable(this.service, isUtf8(decoded) ? decoded.toString() : bytes)}`;
  }

  #unread(): string {
    return printable(this.service, this.#received.toString());
  }

  #fail(actual: string, expected: string): never {
    throw new ContractViolation(this.#action(this.#sent), actual, expected);
  }
}
