import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ContractViolation } from '@plant-store/contracts-kit';
import type { Answer } from './answer.ts';
import { ANSWER_WITHIN_MS, type DeployedService, printable } from './deployed-service.ts';
import { parseResponse } from './response-parser.ts';

/** A raw connection to the service: what is sent is sent as it is, and what comes is held to HTTP's letter. */
export interface Connection {
  readonly service: DeployedService;
  /** Sends bytes, a character each (Latin-1). Whatever the other side has closed in the meantime is its right. */
  send(bytes: string): void;
  /**
   * Waits for the next response.
   * @throws {ContractViolation} when it is malformed, the connection ends before it is complete, or it does not come in time.
   */
  answer(options?: AnswerOptions): Promise<Answer>;
  /** The same where the service may as well close the connection without a word: undefined then. */
  answerOrEnd(options?: AnswerOptions): Promise<Answer | undefined>;
  /**
   * Waits until the service has closed the connection.
   * @throws {ContractViolation} when it sends anything before, or does not close in time.
   */
  closed(options?: { readonly withinMs?: number }): Promise<void>;
  /** Says that nothing more will be sent (FIN), and goes on reading. */
  finish(): void;
}

/** What is special about the answer that is waited for. */
interface AnswerOptions {
  /** It answers a HEAD request, and so has no body. */
  readonly toHead?: boolean;
  /** {@link ANSWER_WITHIN_MS} by default. */
  readonly withinMs?: number;
}

/**
 * Opens a connection, hands it over, and drops it afterwards.
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

  const did = () => `sent ${what} over a raw connection: ${printable(service, sent)}`;
  const unread = () => printable(service, received.toString());
  const seen = () => (received.length === 0 ? '' : ` after ${unread()}`);

  async function answerOrEnd({
    toHead = false,
    withinMs = ANSWER_WITHIN_MS,
  }: AnswerOptions = {}): Promise<Answer | undefined> {
    const promised = `one well-formed HTTP response within ${withinMs} ms`;
    for (const deadline = Date.now() + withinMs; ; ) {
      const parsed = parseResponse(received, toHead);
      if (parsed.state === 'complete') {
        received = received.subarray(parsed.length);
        return { service, did: did(), status: parsed.status, headers: parsed.headers, body: parsed.body };
      }
      if (parsed.state === 'malformed')
        throw new ContractViolation(did(), `a response that is not well-formed: ${parsed.fault}${seen()}`, promised);
      if (end !== undefined) {
        if (received.length === 0) return undefined;
        throw new ContractViolation(did(), `${end}${seen()}`, promised);
      }
      if (!(await changeWithin(deadline - Date.now())))
        throw new ContractViolation(did(), `nothing complete within ${withinMs} ms${seen()}`, promised);
    }
  }

  return {
    service,
    send(bytes) {
      sent += bytes;
      if (socket.writable) socket.write(bytes, 'latin1');
    },
    finish: () => void socket.end(),
    answerOrEnd,
    async answer(options) {
      const answer = await answerOrEnd(options);
      if (answer) return answer;
      throw new ContractViolation(did(), `${end}${seen()}`, 'one well-formed HTTP response');
    },
    async closed({ withinMs = ANSWER_WITHIN_MS } = {}) {
      const promised = 'the connection is closed, and nothing is sent before';
      for (const deadline = Date.now() + withinMs; ; ) {
        if (received.length > 0)
          throw new ContractViolation(did(), `more bytes than the answers read so far: ${unread()}`, promised);
        if (end !== undefined) return;
        if (!(await changeWithin(deadline - Date.now())))
          throw new ContractViolation(did(), `the connection was still open after ${withinMs} ms`, promised);
      }
    },
  };
}
