import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { create, startService } from '../running-service.ts';
import { scrape, sumOf } from '../telemetry/exposition.ts';

/** Fewer lines than are written together: at exit they are still in the buffer. */
const FEW = 20;

/** More lines than a pipe and its reader hold. */
const MANY = 10_000;

/** A process that logs so many lines and then ends: its exit code, what it has logged and what it says on standard error. */
async function logged(lines: number, end: string, stdout: 'read' | 'unread' | number) {
  const program = `
    import { openLog } from ${JSON.stringify(join(import.meta.dirname, '../../src/logging/index.ts'))};
    const { logger } = await openLog({ LOG_LEVEL: 'info', LOG_BUFFER_BYTES: 4_194_304 });
    for (let line = 0; line < ${lines}; line += 1) logger.info({ line }, 'some words');
    logger.fatal({ err: Object.assign(new Error('no'), { detail: 'a row' }) }, 'the last words');
    ${end}`;
  const node = ['--conditions=development', '--input-type=module', '--eval', program];
  const child = spawn(process.execPath, node, {
    stdio: ['ignore', typeof stdout === 'number' ? stdout : 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const textOf = (stream: Readable | null) => (stream ? text(stream) : '');
  const ended = once(child, 'exit');
  const [log, stderr] = await Promise.all([stdout === 'read' ? textOf(child.stdout) : '', textOf(child.stderr)]);
  return { code: (await ended)[0], stderr, log };
}

describe('a process that ends', () => {
  test.each([
    ['exits', 'process.exit();'],
    ['throws', "throw new Error('at last');"],
  ])('and %s writes its buffered lines, and errors without what a driver adds to them', async (_, end) => {
    const { log } = await logged(FEW, end, 'read');
    const lines = log.trimEnd().split('\n');
    const [last, ...others] = lines.map((line) => JSON.parse(line)).toReversed();
    expect(others.map(({ msg }) => msg)).toEqual(Array(FEW).fill('some words'));
    expect(last.err).toEqual({ type: 'Error', message: 'no', stack: expect.any(String) });
  });

  test.each([
    ['nobody reads', () => 'unread' as const, 'the log was not read in time'],
    ['is on a full disk', () => openSync('/dev/full', 'w'), 'the log could not be written (ENOSPC)'],
  ])('and whose log %s ends all the same, and says so on standard error', async (_, stdout, reason) => {
    const stderr = `plant-store: the last log lines are lost, because ${reason}\n`;
    expect(await logged(MANY, '', stdout())).toEqual({ code: 0, stderr, log: '' });
  });
});

test('a log that nobody reads: the service runs on in bounded memory, and says and counts what it drops', async () => {
  const limits = { LOG_BUFFER_BYTES: '65536', SHUTDOWN_DELAY_MS: '0' };
  using service = await startService({ DATABASE_URL: 'memory:', ...limits });
  const { url, adminUrl, process, printed } = service;
  process.stdout?.pause();
  const dropped = async () => sumOf(await scrape(adminUrl), 'plant_store_log_lines_dropped_total');
  let sent = 0;
  for (; (await dropped()) <= 50; sent += 100)
    await Promise.all(Array.from({ length: 100 }, () => create(url, '{}', 'no')));
  process.stdout?.resume();
  const [, lines] = await printed(/"lines":(\d+),"msg":"log lines dropped, because the log was not read in time"/);
  const completed = () => service.output().match(/"msg":"request completed"/g)?.length;
  await expect.poll(completed).toBe(sent - Number(lines));
  expect(await dropped()).toBe(Number(lines));
  // With nobody left who reads, the service lives, and ends.
  process.stdout?.destroy();
  expect((await create(url, '{}', 'no')).status).toBe(401);
  expect(await service.stop()).toBe(0);
  await printed(/the last log lines are lost, because the log could not be written \(EPIPE\)/);
});
