import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { EdgeSettings, ErrorCatalogue, RequestObserver } from '../src/index.ts';
import { createEdge, exchangeOf, fromFastify, HttpError, sendContent, sendJson } from '../src/index.ts';

// Numbers of its own, and two kinds that no edge knows.
const numbers = {
  'body-too-large': 41_307,
  'internal-error': 50_007,
  'malformed-http': 40_007,
  'method-not-allowed': 40_507,
  'no-such-path': 40_407,
  overloaded: 50_307,
  'request-timeout': 40_807,
  'unsupported-media-type': 41_507,
  'no-credentials': 40_107,
  'not-a-text': 42_207,
};

export const catalogue: ErrorCatalogue = Object.fromEntries(
  Object.entries(numbers).map(([kind, error]) => [kind, { error, meaning: kind }]),
) as ErrorCatalogue;

export interface EchoOptions extends Omit<EdgeSettings, 'observer'> {
  readonly observer?: Partial<RequestObserver>;
  /** Called before a body is admitted. */
  readonly check?: () => Promise<void>;
  /** What is sent back for a text: by default the text. */
  readonly work?: (text: string) => Promise<string>;
}

/** A service that knows no plant: who has credentials gets back the bytes of a body, as a JSON string. It has two documents. */
export function echoServer({ check, work = async (text) => text, observer, ...settings }: EchoOptions = {}) {
  const { app, bodies } = createEdge({
    catalogue,
    toHttpError: (error) => (error instanceof HttpError ? error : fromFastify(error)),
    observer: { completed() {}, watch() {}, ...observer },
    ...settings,
  });
  app.register(async (scope) => {
    bodies.readWith(scope, (bytes) => {
      if (bytes.length > 0) return bytes.toString('latin1');
      throw new HttpError('not-a-text', 'send a text');
    });
    scope.post('/echo', {
      async onRequest({ raw }, reply) {
        if (!raw.headers.authorization) throw new HttpError('no-credentials', 'say who you are');
        await check?.();
        bodies.admit(exchangeOf(raw), reply);
      },
      handler: async ({ body }, reply) => sendJson(reply, JSON.stringify(await work(body as string))),
    });
  });
  app.get('/small', (_request, reply) => sendContent(reply, 'text/plain', 'small'));
  app.get('/large', (_request, reply) => sendContent(reply, 'text/plain', large));
  return app;
}

const large = Buffer.alloc(1_500_000, 'a');

/** The service on a free port, with its log. */
export async function serve(options: EchoOptions = {}) {
  const lines: Record<string, unknown>[] = [];
  let inFlight = () => Number.NaN;
  const app: FastifyInstance = echoServer({
    logger: pino({}, { write: (line) => void lines.push(JSON.parse(line)) }),
    closeTimeout: 1,
    ...options,
    observer: { watch: (count) => (inFlight = count), ...options.observer },
  });
  onTestFinished(() => app.close());
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  return { app, port, lines, inFlight: () => inFlight(), open: opener(port) };
}

/** Connects to a port, and sends bytes. */
export function opener(port: number) {
  return async (...bytes: readonly string[]): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    for (const each of bytes) socket.write(each, 'latin1');
    return socket;
  };
}

/** The next bytes of the service; and those after the client has sent some. */
export async function response(socket: Socket, bytes = ''): Promise<string> {
  const received = once(socket, 'data');
  socket.write(bytes, 'latin1');
  return String((await received)[0]);
}

/** A request, as far as it differs from a valid one. */
export interface Parts {
  readonly line?: string;
  /** Whole header lines; an empty one is left out. */
  readonly host?: string;
  readonly credentials?: string;
  readonly type?: string;
  readonly more?: readonly string[];
  /** Declared by its length, unless the other lines say how it is framed. */
  readonly body?: string;
}

/** Its bytes, a character each (Latin-1). */
export function request(parts: Parts = {}): string {
  const { line = 'POST /echo HTTP/1.1', host = 'Host: x', type = 'Content-Type: application/json' } = parts;
  const { credentials = 'Authorization: me', more = [], body = 'Fern' } = parts;
  const framed = more.some((header) => /^(transfer-encoding|content-length):/i.test(header));
  const length = framed ? '' : `Content-Length: ${body.length}`;
  const lines = [line, host, credentials, type, length, ...more].filter((header) => header !== '');
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** A request for a document. */
export function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
}

export function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}
