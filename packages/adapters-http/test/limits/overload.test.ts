import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type CreatePlant, StoreOverloaded, type TokenVerifier } from '@plant-store/domain';
import type { FastifyInstance } from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type PlantServerOptions, plantServer } from '../plant-server.ts';

const tokens: TokenVerifier = { verify: async (subject) => ({ accepted: true, subject }) };
const created = { outcome: 'created', plant: { name: 'Fern' } } as const;

test('requests over the limit are rejected immediately, and admitted again when one is completed', async () => {
  const response = Promise.withResolvers<typeof created>();
  const createPlant = vi.fn<CreatePlant>(() => response.promise);
  const url = await listening({ useCases: { createPlant }, maxRequestsInFlight: 2 });
  const inFlight = [create(url), create(url)];
  await vi.waitFor(() => expect(createPlant).toHaveBeenCalledTimes(2));
  const rejected = await create(url);
  expect(rejected).toMatchObject({ status: 503, body: { error: 50302 } });
  expect(rejected.headers.get('retry-after')).toBe('1');

  response.resolve(created);
  for (const { status } of await Promise.all(inFlight)) expect(status).toBe(200);
  await vi.waitFor(async () => expect(await create(url)).toMatchObject({ status: 200 }));
});

test('clients that disconnect release their places as well', async () => {
  const createPlant = vi.fn<CreatePlant>(() => new Promise(() => {}));
  let inFlight = () => Number.NaN;
  const observer = { completed() {}, watch: (count: () => number) => (inFlight = count) };
  const url = await listening({ useCases: { createPlant }, maxRequestsInFlight: 1, closeTimeout: 1, observer });
  const client = new AbortController();
  const left = expect(create(url, { signal: client.signal })).rejects.toThrow('aborted');
  await vi.waitFor(() => expect(createPlant).toHaveBeenCalledTimes(1));
  expect(inFlight()).toBe(1);
  client.abort();
  await left;
  await vi.waitFor(() => expect(inFlight()).toBe(0));
});

test('a body that has not arrived takes no place, and documents take none of a plant', async () => {
  const response = Promise.withResolvers<typeof created>();
  const createPlant = vi.fn<CreatePlant>(() => response.promise);
  const url = await listening({ useCases: { createPlant }, maxRequestsInFlight: 1 });
  const unfinished = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void unfinished.destroy());
  const body = '{"id":1,"name":"Fern"}';
  const type = 'Content-Type: application/json';
  unfinished.write(
    `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer me\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await setTimeout(50);
  const inFlight = create(url);
  await vi.waitFor(() => expect(createPlant).toHaveBeenCalledOnce());
  expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
  // Once it has arrived, there is no place for it.
  unfinished.write(body);
  expect(String((await once(unfinished, 'data'))[0])).toMatch(/^HTTP\/1\.1 503 .*"error":50302/s);
  response.resolve(created);
  expect((await inFlight).status).toBe(200);
  unfinished.write(
    `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer me\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await setTimeout(50);
  unfinished.write(body);
  expect(String((await once(unfinished, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
});

test('an overloaded store is reported as overload', async () => {
  const createPlant: CreatePlant = () => Promise.reject(new StoreOverloaded('2000 adds are waiting'));
  const rejected = await create(await listening({ useCases: { createPlant } }));
  expect(rejected).toMatchObject({ status: 503, body: { error: 50302 } });
  expect(rejected.headers.get('retry-after')).toBe('1');
});

test('the rate limit rejects only the client that exceeds it', async () => {
  const url = await listening({ useCases: { createPlant: async () => created }, requestsPerSecond: 3 });
  const send = (token: string) => create(url, { token });
  const statuses = async (token: string) =>
    (await Promise.all(Array.from({ length: 5 }, () => send(token)))).map(({ status }) => status).sort();
  expect(await statuses('one')).toEqual([200, 200, 200, 429, 429]);
  expect(await statuses('another')).toEqual([200, 200, 200, 429, 429]);

  const rejected = await send('one');
  expect(rejected).toMatchObject({ status: 429, body: { error: 42901 } });
  expect(Number(rejected.headers.get('retry-after'))).toBe(1);
  await vi.waitFor(async () => expect(await send('one')).toMatchObject({ status: 200 }), 3_000);
});

async function listening(options: PlantServerOptions): Promise<string> {
  const server: FastifyInstance = plantServer({ tokens, ...options });
  onTestFinished(() => server.close());
  return server.listen({ host: '127.0.0.1', port: 0 });
}

async function create(url: string, { token = 'anybody', ...options }: RequestInit & { token?: string } = {}) {
  const response = await fetch(`${url}/plants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"id":1,"name":"Fern"}',
    ...options,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
