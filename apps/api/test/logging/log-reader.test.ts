import { Agent, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { scrape, sumOf } from '../telemetry/exposition.ts';
import { startLogged, timesIn } from './read-log.ts';

/** Requests without a token, over a few connections; resolves with their statuses. */
async function send(url: string, count: number, path = '/plants'): Promise<ReadonlySet<number | undefined>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  onTestFinished(() => agent.destroy());
  const statuses = Array.from({ length: count }, () => {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const options = { method: 'POST', agent, path };
    request(url, options, (response) => response.resume().once('end', () => resolve(response.statusCode)))
      .once('error', reject)
      .end();
    return promise;
  });
  return new Set(await Promise.all(statuses));
}

const completed = /"msg":"request completed"/;

test('a log that nobody reads: the service runs on in bounded memory, and says and counts what it drops', async () => {
  // 100 requests more than 64 KiB in the pipe and 16 KiB in the buffer have room for.
  const service = await startLogged({ DATABASE_URL: 'memory:', LOG_BUFFER_BYTES: '16384' });
  expect(await send(service.url, 500)).toEqual(new Set([401]));
  const dropped = async () => sumOf(await scrape(service.adminUrl), 'plant_store_log_lines_dropped_total');
  await expect.poll(dropped).toBeGreaterThan(50);

  const log = await service.readUntil(/"lines":\d+,"msg":"log lines dropped/);
  const [, lines] = /"lines":(\d+),"msg":"log lines dropped/.exec(log) ?? [];
  expect(timesIn(log, completed) + Number(lines)).toBe(500);
  expect(await dropped()).toBe(Number(lines));

  await send(service.url, 500);
  service.kill('SIGTERM');
  const { code, stderr } = await service.ended;
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^plant-store: log lines dropped, .* \(\d+\)\n$/),
  });
});

test('a log whose reader goes away during shutdown does not delay it', async () => {
  const service = await startLogged({ DATABASE_URL: 'memory:' });
  await send(service.url, 500);
  service.kill('SIGTERM');
  service.stopReading();
  expect((await service.ended).code).toBe(0);
});

test('two workers and a slow reader: no line is torn, however long paths are, and SIGTERM ends both', async () => {
  const service = await startLogged({ WORKERS: '2' });
  await service.readUntil(/"listening on/, 2);
  // More than the pipe holds, so that both have lines waiting when it is read.
  expect(await send(service.url, 300, `/"\\${'x'.repeat(15_000)}`)).toEqual(new Set([404]));
  const log = await service.readUntil(completed, 300, 1_000);
  for (const line of log.split('\n').slice(0, -1)) expect(JSON.parse(line).level).toBeGreaterThan(20);

  await send(service.url, 500);
  service.kill('SIGTERM');
  expect((await service.ended).code).toBe(0);
});
