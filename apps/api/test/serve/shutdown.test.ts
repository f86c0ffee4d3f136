import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startLoad } from '../faults/load.ts';
import { newPlants } from '../faults/plants.ts';
import { rotate } from '../faults/rotation.ts';
import { create, plantStore, type RunningService, startService, TOKEN } from '../running-service.ts';
import { blockingFile, isRead } from './blocking-file.ts';

async function start(environment: Record<string, string> = {}): Promise<RunningService> {
  const service = await startService({ DATABASE_URL: 'memory:', ...environment });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  return service;
}

/** A request whose last byte has not been sent yet. */
async function startRequest(url: string, id: number) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let response = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    response += text;
  });
  const body = `{"id":${id},"name":"Fern"}`;
  socket.write(
    `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n${body.slice(0, -1)}`,
  );
  // 100 Continue shows that the service has begun to read the body.
  await once(socket, 'data');
  return {
    finish: async () => {
      socket.write('}');
      await once(socket, 'close');
      return response;
    },
  };
}

test('SIGTERM turns readiness off, completes requests in flight, accepts no new connection, and exits with 0', async () => {
  const service = await start();
  for (const probe of ['livez', 'readyz']) expect((await fetch(`${service.adminUrl}/${probe}`)).status).toBe(200);
  const request = await startRequest(service.url, 1);

  service.process.kill('SIGTERM');
  await service.printed(/SIGTERM/);
  expect((await fetch(`${service.adminUrl}/readyz`)).status).toBe(503);
  expect((await fetch(`${service.adminUrl}/livez`)).status).toBe(200);
  await expect(create(service.url, { id: 2, name: 'late' })).rejects.toThrow();
  expect(service.output()).not.toContain('Ctrl-C again to force');

  const response = await request.finish();
  expect(response).toContain('HTTP/1.1 200 OK');
  expect(response.toLowerCase()).toContain('connection: close');
  expect(response).toContain('{"name":"Fern"}');
  expect(await service.ended).toBe(0);
});

test('for SHUTDOWN_DELAY_MS it is not ready but still serves, with Connection: close', async () => {
  const service = await start({ SHUTDOWN_DELAY_MS: '2000' });
  const request = await startRequest(service.url, 1);
  const begunAt = performance.now();
  service.process.kill('SIGTERM');
  await service.printed(/graceful shutdown; stops accepting connections in 2000 ms/);
  expect((await fetch(`${service.adminUrl}/readyz`)).status).toBe(503);

  const late = await create(service.url, { id: 2, name: 'late' });
  expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
  const rejected = await create(service.url, 'no JSON');
  expect([rejected.status, rejected.headers.get('connection')]).toEqual([400, 'close']);
  expect((await request.finish()).toLowerCase()).toMatch(/http\/1\.1 200 ok\r\n.*connection: close\r\n/s);

  expect(await service.ended).toBe(0);
  expect(performance.now() - begunAt).toBeGreaterThanOrEqual(2_000);
});

test('Ctrl-C skips the delay for load balancers, and open keep-alive connections do not delay it', async () => {
  const service = await start({ SHUTDOWN_DELAY_MS: '600000' });
  expect((await create(service.url, { id: 1, name: 'Fern' })).status).toBe(200);
  service.process.kill('SIGINT');
  await service.printed(/graceful shutdown; Ctrl-C again to force/);
  expect(await service.ended).toBe(0);
});

test('a second signal skips the delay, and waits for no request', async () => {
  const service = await start({ SHUTDOWN_DELAY_MS: '600000' });
  await startRequest(service.url, 1);
  service.process.kill('SIGTERM');
  await service.printed(/SIGTERM/);
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe('SIGTERM');
});

test('two instances behind a load balancer are replaced under load without a failed request', async () => {
  const begin = () => start({ SHUTDOWN_DELAY_MS: '1000' });
  const rotation = await rotate([await begin(), await begin()]);
  onTestFinished(rotation.close);
  const load = startLoad(100, newPlants(), rotation.send);
  for (const old of rotation.instances()) {
    const before = load.results.length;
    rotation.add(await begin());
    await expect.poll(() => load.results.length).toBeGreaterThan(before + 50);
    old.process.kill('SIGTERM');
    expect(await old.ended).toBe(0);
    rotation.remove(old);
  }
  const results = await load.stop();
  expect(results.filter(({ outcome, asExpected }) => outcome !== 200 || !asExpected)).toEqual([]);
  expect(rotation.retried()).toBe(0);
});

test('requests that never end, to either listener, delay shutdown by some seconds', async () => {
  const service = await start();
  await startRequest(service.url, 1);
  const { hostname, port } = new URL(service.adminUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {}).write('GET /readyz HTTP/1.1\r\nHost: x\r\n');
  await once(socket, 'connect');
  expect((await fetch(`${service.adminUrl}/livez`)).status).toBe(200);
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe(0);
});

test('a thread that is blocked in a system call does not keep it from ending', async () => {
  const path = await blockingFile();
  const tokens = `${path}.txt`;
  await writeFile(tokens, TOKEN);
  const service = await start({ API_TOKENS: '', API_TOKENS_FILE: tokens });
  await rename(path, tokens);
  await isRead(tokens);
  expect((await create(service.url, { id: 1, name: 'Fern' })).status).toBe(200);
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe('SIGKILL');
});

test('neither does one that is blocked during startup', async () => {
  const tokens = await blockingFile();
  const service = plantStore(['serve'], {
    DATABASE_URL: 'memory:',
    PORT: '0',
    ADMIN_PORT: '0',
    API_TOKENS_FILE: tokens,
  });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  await isRead(tokens);
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe('SIGKILL');
});
