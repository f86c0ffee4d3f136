import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { connectTo, create, startService } from '../running-service.ts';
import { scrape, sumOf } from '../telemetry/exposition.ts';

const start = () => startService({ DATABASE_URL: 'memory:', SHUTDOWN_DELAY_MS: '0', DOCS: 'off' });

test('a log that nobody reads: the service runs on in bounded memory, says and counts what it drops, and ends', {
  timeout: 60_000,
}, async () => {
  using service = await start();
  const { url, adminUrl, process, printed, output } = service;
  const dropped = async () => sumOf(await scrape(adminUrl), 'plant_store_log_lines_dropped_total');
  const request = (end = '') =>
    `GET /${'p'.repeat(250)} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${'i'.repeat(128)}\r\n${end}\r\n`;
  const tenRequests = request().repeat(9) + request('Connection: close\r\n');
  let sent = 0;
  /** Requests with long lines, 600 bytes each, until so many of them are dropped. */
  const sendUntil = async (most: number) => {
    process.stdout?.pause();
    for (; (await dropped()) <= most; sent += 500)
      await Promise.all(
        Array.from({ length: 50 }, () => {
          const socket = connectTo(url);
          socket.write(tenRequests);
          return text(socket);
        }),
      );
  };
  await sendUntil(50);
  process.stdout?.resume();
  const [, lines] = await printed(/"lines":(\d+),"msg":"log lines dropped, because the log was not read in time"/);
  await expect.poll(() => output().match(/"msg":"request completed"/g)?.length).toBe(sent - Number(lines));
  expect(await dropped()).toBe(Number(lines));

  await sendUntil(Number(lines) + 50);
  process.kill('SIGTERM');
  expect(await once(process, 'exit')).toEqual([0, null]);
  process.stdout?.resume();
  await printed(/the last log lines are lost, because the log was not read in time/);
});

test('a log whose reader goes away ends neither the service nor keeps it from ending', async () => {
  using service = await start();
  service.process.stdout?.destroy();
  expect((await create(service.url, '{}', 'no')).status).toBe(401);
  expect(await service.stop()).toBe(0);
  await service.printed(/the last log lines are lost, because the log could not be written \(EPIPE\)/);
});
