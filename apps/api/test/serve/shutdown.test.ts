import { once } from 'node:events';
import { rawRequest } from '@plant-store/contracts-http/wire';
import { describe, expect, test, vi } from 'vitest';
import { composedService } from '../composed-service.ts';
import { startLoad } from '../faults/load.ts';
import { rotate } from '../faults/rotation.ts';
import { patiently } from '../patiently.ts';
import {
  connectTo,
  create,
  type OnTestFinished,
  type RunningService,
  startService,
  TOKEN,
} from '../running-service.ts';

async function start(
  onTestFinished: OnTestFinished,
  environment: Record<string, string> = {},
): Promise<RunningService> {
  const service = await startService({ DATABASE_URL: 'memory:', ...environment });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  return service;
}

async function openConnection(url: string): Promise<void> {
  const socket = connectTo(url);
  await once(socket, 'connect').finally(() => socket.destroy());
}

/** A request whose last byte has not been sent yet. */
async function startRequest(url: string, id: number) {
  const socket = connectTo(url);
  let response = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    response += text;
  });
  const request = { headers: { Expect: '100-continue' }, body: `{"id":${id},"name":"Fern"}` };
  socket.write(rawRequest({ baseUrl: url, token: TOKEN }, request).slice(0, -1));
  // 100 Continue shows that the service has begun to read the body.
  await once(socket, 'data');
  return {
    finish: async () => {
      socket.write('}');
      if (!socket.closed) await once(socket, 'close');
      return response;
    },
  };
}

// Together: most of them wait, for a delay or for what does not end.
describe.concurrent('a shutdown', () => {
  test('for SHUTDOWN_DELAY_MS it is not ready but serves as usual; then it completes requests in flight, and exits with 0', async ({
    onTestFinished,
  }) => {
    const service = await start(onTestFinished, { SHUTDOWN_DELAY_MS: '3000' });
    const request = await startRequest(service.url, 1);
    const begunAt = performance.now();
    service.process.kill('SIGTERM');
    await service.printed(/graceful shutdown; stops accepting connections in 3000 ms/);
    expect((await fetch(`${service.adminUrl}/readyz`)).status).toBe(503);

    const late = await create(service.url, { id: 2, name: 'late' });
    expect([late.status, late.headers.get('connection')]).toEqual([200, 'keep-alive']);
    const rejected = await create(service.url, 'no JSON');
    expect([rejected.status, rejected.headers.get('connection')]).toEqual([400, 'keep-alive']);

    await vi.waitFor(() => expect(openConnection(service.url)).rejects.toThrow('ECONNREFUSED'), patiently);
    expect(performance.now() - begunAt).toBeGreaterThanOrEqual(3_000);
    expect((await request.finish()).toLowerCase()).toMatch(/http\/1\.1 200 ok\r\n.*connection: close\r\n/s);
    expect(await service.ended).toBe(0);
  });

  test('Ctrl-C turns readiness off, completes requests in flight, accepts no new connection, waits neither for load balancers nor for idle connections, and exits with 0', async ({
    onTestFinished,
  }) => {
    const service = await start(onTestFinished, { SHUTDOWN_DELAY_MS: '600000' });
    for (const probe of ['livez', 'readyz']) expect((await fetch(`${service.adminUrl}/${probe}`)).status).toBe(200);
    expect((await create(service.url, { id: 2, name: 'kept alive' })).status).toBe(200);
    const request = await startRequest(service.url, 1);

    service.process.kill('SIGINT');
    await service.printed(/graceful shutdown; Ctrl-C again to force/);
    expect((await fetch(`${service.adminUrl}/readyz`)).status).toBe(503);
    expect((await fetch(`${service.adminUrl}/livez`)).status).toBe(200);
    await vi.waitFor(() => expect(openConnection(service.url)).rejects.toThrow('ECONNREFUSED'), patiently);

    const response = await request.finish();
    expect(response).toContain('HTTP/1.1 200 OK');
    expect(response.toLowerCase()).toContain('connection: close');
    expect(response).toContain('{"name":"Fern"}');
    expect(await service.ended).toBe(0);
  });

  test('a second signal skips the delay, and waits for no request', async ({ onTestFinished }) => {
    const service = await start(onTestFinished, { SHUTDOWN_DELAY_MS: '600000' });
    await startRequest(service.url, 1);
    service.process.kill('SIGTERM');
    await service.printed(/SIGTERM/);
    service.process.kill('SIGTERM');
    expect(await service.ended).toBe(1);
  });

  test('SIGHUP, of a terminal that closes, is a SIGTERM', async ({ onTestFinished }) => {
    const service = await start(onTestFinished, { SHUTDOWN_DELAY_MS: '500' });
    const request = await startRequest(service.url, 1);
    service.process.kill('SIGHUP');
    await service.printed(/"signal":"SIGHUP","msg":"graceful shutdown; stops accepting connections in 500 ms"/);
    expect(await request.finish()).toContain('HTTP/1.1 200 OK');
    expect(await service.ended).toBe(0);
  });

  test('two instances behind a load balancer are replaced under load without a failed request', async ({
    expect,
    onTestFinished,
  }) => {
    // Twenty times the interval at which the load balancer probes: a machine may be busy.
    const SHUTDOWN_DELAY_MS = '4000';
    const { url, adminUrl, process, ended } = await start(onTestFinished, { SHUTDOWN_DELAY_MS });
    const stop = async () => {
      process.kill('SIGTERM');
      expect(await ended).toBe(0);
    };
    // One instance is a real process; the others run in this one.
    const begin = async () => {
      const service = await composedService({ ADMIN_PORT: '0' });
      onTestFinished(() => service.stop());
      return { ...service, adminUrl: service.adminUrl ?? '', stop: () => service.stop(Number(SHUTDOWN_DELAY_MS)) };
    };
    const rotation = await rotate([{ url, adminUrl, stop }, await begin()]);
    onTestFinished(rotation.close);
    let id = 0;
    const load = startLoad(100, () => ({ id: ++id, name: 'Fern' }), rotation.send);
    onTestFinished(async () => void (await load.stop().catch(() => {})));
    for (const old of rotation.instances()) {
      const before = load.results.length;
      rotation.add(await begin());
      await expect.poll(() => load.results.length).toBeGreaterThan(before + 50);
      await old.stop();
      rotation.remove(old);
    }
    const results = await load.stop();
    expect(results.filter(({ outcome, asExpected }) => outcome !== 200 || !asExpected)).toEqual([]);
    expect(rotation.retried()).toEqual([]);
  });

  test('requests that never end, to either listener, delay shutdown by some seconds', async ({ onTestFinished }) => {
    const service = await start(onTestFinished);
    await startRequest(service.url, 1);
    const socket = connectTo(service.adminUrl);
    socket.on('error', () => {}).write('GET /readyz HTTP/1.1\r\nHost: x\r\n');
    await once(socket, 'connect');
    expect((await fetch(`${service.adminUrl}/livez`)).status).toBe(200);
    service.process.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.output()).toMatch(/"SIGTERM","msg":"graceful shutdown"/);
  });
});
