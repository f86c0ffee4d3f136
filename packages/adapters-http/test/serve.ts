import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { onTestFinished, vi } from 'vitest';
import { listenOptions } from '../src/index.ts';
import { type PlantServerOptions, plantServer } from './plant-server.ts';

/** Stops the clocks until the test is over, unless it advances them, so that a busy machine does not exceed a moment. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** How long `vi.waitFor` may wait on a busy machine, instead of a second. */
export const patient = { timeout: 20_000 };

/** The server, listening until the test is over, and the lines of its log. */
export async function serve(options: PlantServerOptions = {}) {
  const lines: Record<string, unknown>[] = [];
  const app = plantServer({ logger: pino({}, { write: (line) => void lines.push(JSON.parse(line)) }), ...options });
  onTestFinished(async () => void (await app.close()));
  const at = { host: '127.0.0.1', port: 0 };
  const url = await app.listen({
    ...at,
    ...(await listenOptions(at.host, at.port)),
    listenTextResolver: () => 'listening',
  });
  lines.length = 0;
  const open = async (bytes = ''): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(bytes);
    return socket;
  };
  /** All that is received until the server closes the connection. */
  const received = async (bytes: string) => text(await open(bytes));
  return { app, url, lines, open, received };
}

/** A request to create a plant, as bytes. Headers of the same name replace those of a valid one. */
export function post(
  body = '{"id":7,"name":"Fern"}',
  headers: Readonly<Record<string, string | undefined>> = {},
): string {
  return requestOf('POST /plants HTTP/1.1', body, {
    Authorization: 'Bearer sesame',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  });
}

/** A request as bytes. */
export function requestOf(line: string, body = '', headers: Readonly<Record<string, string | undefined>> = {}): string {
  const fields = Object.entries({ Host: 'x', ...headers }).filter(([, value]) => value !== undefined);
  return `${line}\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

/** The statuses of responses, in their order. */
export function statuses(received: string): readonly number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
