import type { RequestSpan } from '@plant-store/http-edge';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type PlantServerOptions, plantServer } from '../plant-server.ts';

function sender(options: PlantServerOptions) {
  const app = plantServer(options);
  const payload = '{"id":1,"name":"Fern"}';
  return (token: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return app.inject({ method: 'POST', url: '/plants', headers, payload });
  };
}

test('the rate limit rejects only the client that exceeds it, for a second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const send = sender({ requestsPerSecond: 3 });
  // At once, as on one connection.
  const statuses = async (token: string) =>
    (await Promise.all(Array.from({ length: 5 }, () => send(token)))).map(({ statusCode }) => statusCode);
  expect(await statuses('one')).toEqual([200, 200, 200, 429, 429]);
  expect(await statuses('another')).toEqual([200, 200, 200, 429, 429]);
  const rejected = await send('one');
  expect([rejected.json(), rejected.headers['retry-after']]).toMatchObject([{ error: 42901 }, '1']);
  vi.advanceTimersByTime(999);
  expect((await send('one')).statusCode).toBe(429);
  vi.advanceTimersByTime(1);
  expect((await send('one')).statusCode).toBe(200);
});

test('the use case is a part of the trace, by the name of its operation', async () => {
  const part = vi.fn<RequestSpan['part']>((_, work) => work());
  const context = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), flags: 1 };
  const span: RequestSpan = { context, part: (name, work) => part(name, work) as ReturnType<typeof work>, end() {} };
  const send = sender({ observer: { completed() {}, watch() {}, startSpan: () => span } });
  expect((await send('me')).statusCode).toBe(200);
  expect(part.mock.calls.map(([name]) => name)).toEqual(['CreatePlant']);
});
