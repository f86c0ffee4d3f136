import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { openMemory } from '@plant-store/adapters-memory';
import { type UseCases, useCases } from '@plant-store/domain';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createHttpServer, type HttpServerOptions } from '../src/index.ts';

/** What a test sets of the server. */
export interface PlantServerOptions extends Partial<Omit<HttpServerOptions, 'useCases'>> {
  readonly useCases?: Partial<UseCases>;
}

/** The server over a store in memory, which accepts every token. The last letter is its subject. */
export function plantServer({ useCases: replaced, ...options }: PlantServerOptions = {}): FastifyInstance {
  return createHttpServer({
    tokens: { verify: async (token) => ({ accepted: true, subject: token.slice(-1) }) },
    useCases: { ...useCases(openMemory()), ...replaced },
    ...options,
  });
}

const [token, otherToken] = ['correct.Horse-battery_Staple', 'another~Token/with+Signs=='];

/** A verifier that accepts two tokens, for the HTTP contract, and the patience that a busy machine needs. */
export const twoTokens = {
  token,
  otherToken,
  responseMs: 60_000,
  verify: async (given: string) => ({ accepted: given === token || given === otherToken, subject: 'test' }),
} as const;

/** How long `vi.waitFor` may wait on a busy machine, instead of a second. */
export const patient = { timeout: 20_000 };

/** The server, listening until the test is over, the lines of its log, and the number of requests in flight. */
export async function serve(options: PlantServerOptions = {}) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  let inFlight = () => Number.NaN;
  const watch = (count: () => number) => {
    inFlight = count;
  };
  const app = plantServer({ logger, observer: { completed: () => {}, watch }, ...options });
  onTestFinished(async () => void (await app.close()));
  const url = await app.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => 'listening' });
  lines.length = 0;
  const open = async (bytes = ''): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(bytes);
    return socket;
  };
  /** All that is received until the server closes the connection. */
  const received = async (bytes: string) => text(await open(bytes));
  return { app, url, lines, inFlight: () => inFlight(), open, received };
}

/** A request to create a plant, as bytes. Headers of the same name replace those of a valid one. */
export function post(
  body = '{"id":7,"name":"Fern"}',
  headers: Readonly<Record<string, string | undefined>> = {},
): string {
  return writeRequest('POST /plants HTTP/1.1', body, {
    Authorization: 'Bearer sesame',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  });
}

/** A request to create a plant whose body is sent in chunks of these sizes, again and again, as bytes. */
export function chunked(
  body: string,
  sizes: readonly number[],
  headers: Readonly<Record<string, string | undefined>> = {},
): string {
  let chunks = '';
  let at = 0;
  for (let turn = 0; at < body.length; turn += 1) {
    const chunk = body.slice(at, at + (sizes[turn % sizes.length] ?? 1));
    chunks += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
    at += chunk.length;
  }
  const framing = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' };
  return `${post('', { ...headers, ...framing })}${chunks}0\r\n\r\n`;
}

/** A request as bytes. */
export function writeRequest(
  line: string,
  body = '',
  headers: Readonly<Record<string, string | undefined>> = {},
): string {
  const fields = Object.entries({ Host: 'x', ...headers }).filter(([, value]) => value !== undefined);
  return `${line}\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

/** The statuses of responses, in their order. */
export function statuses(received: string): readonly number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
