import { once } from 'node:events';
import { rawRequest } from '@plant-store/contracts-http/wire';
import { describe, expect, test } from 'vitest';
import {
  beginService,
  connectTo,
  create,
  listening,
  type RunningService,
  startService,
  TOKEN,
} from './running-service.ts';

const start = (SHUTDOWN_DELAY_MS: string) => startService({ DATABASE_URL: 'memory:', SHUTDOWN_DELAY_MS });

const fetchStatus = ({ adminUrl }: RunningService, path: string): Promise<number> =>
  fetch(adminUrl + path).then(
    ({ status }) => status,
    () => 0,
  );

async function isRefused({ url }: RunningService): Promise<boolean> {
  const socket = connectTo(url);
  const connected = once(socket, 'connect').then(
    () => false,
    () => true,
  );
  return connected.finally(() => socket.destroy());
}

/** A request whose last byte has not been sent yet. */
async function startRequest(url: string) {
  const socket = connectTo(url);
  let response = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    response += text;
  });
  const request = { headers: { Expect: '100-continue' }, body: '{"id":1,"name":"Fern"}' };
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
  test('P9/F1 by SIGTERM is not ready at once, serves as usual during its delay, and a second signal ends it and waits for no request', async ({
    expect,
  }) => {
    using service = await start('600000');
    expect([await fetchStatus(service, '/readyz'), await fetchStatus(service, '/livez')]).toEqual([200, 200]);
    await startRequest(service.url);
    service.process.kill('SIGTERM');
    await service.printed(/graceful shutdown; stops accepting connections in 600000 ms/);
    // Before a probe asks.
    expect(await (await fetch(`${service.adminUrl}/metrics`)).text()).toMatch(/^plant_store_ready 0$/m);
    expect([await fetchStatus(service, '/readyz'), await fetchStatus(service, '/livez')]).toEqual([503, 200]);
    const responses = await Promise.all(['{"id":2,"name":"late"}', 'no JSON'].map((body) => create(service.url, body)));
    expect(responses.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([
      [200, 'keep-alive'],
      [400, 'keep-alive'],
    ]);
    expect(await service.stop()).toBe(1);
    // What is logged last is written at exit.
    expect(service.output()).toContain('second SIGTERM');
  });

  test.for([
    ['SIGTERM', 500],
    // A terminal that closes sends SIGHUP.
    ['SIGHUP', 500],
    // Ctrl-C, of a person, who does not want to wait for load balancers.
    ['SIGINT', 0],
  ] as const)(
    'P9/F1 by %s stops accepting connections after %i ms, completes requests in flight, waits for no idle connection, and exits with 0',
    async ([signal, delayMs], { expect }) => {
      using service = await start(`${delayMs || 600_000}`);
      expect((await create(service.url, { id: 3, name: 'kept alive' })).status).toBe(200);
      const request = await startRequest(service.url);
      const begunAt = performance.now();
      service.process.kill(signal);
      await expect.poll(() => isRefused(service), { interval: 100 }).toBe(true);
      expect(performance.now() - begunAt).toBeGreaterThanOrEqual(delayMs);
      expect(await request.finish()).toMatch(/HTTP\/1\.1 200 OK\r\n.*connection: close\r\n.*{"name":"Fern"}/is);
      expect(await service.ended).toBe(0);
    },
  );

  test('P9/F1 requests that never end, to either listener, delay shutdown by some seconds', async () => {
    using begun = beginService({ DATABASE_URL: 'memory:' });
    // It also runs on when its greeting cannot be written.
    begun.process.stderr?.destroy();
    const service = await listening(begun);
    await startRequest(service.url);
    const socket = connectTo(service.adminUrl);
    socket.on('error', () => {}).write('GET /readyz HTTP/1.1\r\nHost: x\r\n');
    await once(socket, 'connect');
    expect(await fetchStatus(service, '/livez')).toBe(200);
    expect(await service.stop()).toBe(0);
  });
});
