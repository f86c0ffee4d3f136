import { isUtf8 } from 'node:buffer';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ContractViolation } from '@plant-store/contracts-kit';
import { type DeployedService, printable } from '../deployed-service.ts';
import { type HttpResponse, parseResponse } from './response-parser.ts';

/**
 * Opens a connection for the callback, and destroys it afterwards.
 * @param what what is sent, for messages: «a request with two Host headers».
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

/** How long a response may take, in milliseconds: longer than a store may take. */
const RESPONSE_TIMEOUT_MS = 5_000;

/** A connection on which bytes are sent as they are, and responses are parsed strictly. */
export class Connection {
  readonly service: DeployedService;
  readonly #what: string;
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #sent = '';
  #isToHead = false;
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

  /** Sends bytes, a character each (Latin-1). Does nothing if the service has closed the connection. */
  send(bytes: string): void {
    this.#sent += bytes;
    this.#isToHead = bytes.startsWith('HEAD ');
    if (this.#socket.writable) this.#socket.write(bytes, 'latin1');
  }

  /**
   * Waits for the next response. It has no body if the latest request was HEAD.
   * @throws {ContractViolation} if it is malformed, late, or incomplete when the connection ends.
   */
  async response({ withinMs = RESPONSE_TIMEOUT_MS } = {}): Promise<HttpResponse> {
    const ended = () => (this.#end === undefined ? undefined : { fault: this.#end });
    const look = () => parseResponse(this.#received, this.#isToHead) ?? ended();
    const parsed = (await this.#until(withinMs, look)) ?? { fault: `nothing complete within ${withinMs} ms` };
    if ('fault' in parsed) {
      const seen = this.#received.length === 0 ? '' : ` after ${this.#unread()}`;
      return this.#fail(parsed.fault + seen, `one well-formed HTTP response within ${withinMs} ms`);
    }
    const { length, ...response } = parsed;
    this.#received = this.#received.subarray(length);
    // Captured now, because more may be sent before the action is shown.
    const sent = this.#sent;
    return { ...response, service: this.service, action: () => this.#action(sent) };
  }

  /** Waits for the next bytes. @returns whether the service has closed the connection instead. */
  async hasEnded(): Promise<boolean> {
    const found = await this.#until(RESPONSE_TIMEOUT_MS, () => this.#received.length > 0 || this.#end);
    return typeof found === 'string';
  }

  /**
   * Waits until the service has closed the connection.
   * @throws {ContractViolation} if it sends anything before, or does not close in time.
   */
  async closed({ withinMs = RESPONSE_TIMEOUT_MS } = {}): Promise<void> {
    const found = await this.#until(withinMs, () => this.#received.length > 0 || this.#end);
    const expected = 'the connection is closed, and nothing is sent before';
    if (found === true) this.#fail(`more bytes after the responses read so far: ${this.#unread()}`, expected);
    if (found === undefined) this.#fail(`the connection was still open after ${withinMs} ms`, expected);
  }

  /**
   * Limits a response, so that it cannot exhaust memory. 1 MiB is seventy times the description. A response that returns a text
   * with each character as `\u0061` has six bytes for each byte sent.
   */
  #receive(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    const limit = 2 ** 20 + 6 * this.#sent.length;
    if (this.#received.length > limit) this.#socket.destroy(new Error(`it sent more than ${limit} bytes`));
    this.#wake();
  }

  #ended(how: string): void {
    this.#end ??= how;
    this.#wake();
  }

  /** Looks for a result now and after each event of the socket. Undefined if there is none in time. */
  async #until<T>(withinMs: number, look: () => T | undefined): Promise<T | undefined> {
    const { promise: isOver, resolve } = Promise.withResolvers<true>();
    const timer = setTimeout(resolve, withinMs, true);
    try {
      for (;;) {
        const found = look();
        if (found !== undefined) return found;
        const change = new Promise<void>((wake) => (this.#wake = wake));
        if (await Promise.race([change, isOver])) return undefined;
      }
    } finally {
      clearTimeout(timer);
    }
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
