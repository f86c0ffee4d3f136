import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { scrape, sumOf } from '../telemetry/exposition.ts';
import { send, startLogged, timesIn, unreadPipe } from './read-log.ts';

/** Fewer lines than are written together: at exit they are still in the buffer. */
const FEW = 20;

/** More lines than a pipe holds. */
const MANY = 2_000;

/** A process that logs so many lines and then ends. */
function logging(lines: number, end: string, stdout: 'pipe' | number) {
  const program = `
    import { openLog } from ${JSON.stringify(join(import.meta.dirname, '../../src/logging/index.ts'))};
    const { logger } = await openLog({ LOG_LEVEL: 'info', LOG_BUFFER_BYTES: 4_194_304 });
    for (let line = 0; line < ${lines}; line += 1) logger.info({ line }, 'some words');
    logger.fatal({ err: Object.assign(new Error('no'), { detail: 'a row' }) }, 'the last words');
    ${end}`;
  const node = ['--conditions=development', '--input-type=module', '--eval', program];
  const child = spawn(process.execPath, node, { stdio: ['ignore', stdout, 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

describe('a process that ends', () => {
  test.each([
    ['exits', 'process.exit();'],
    ['has nothing more to do', ''],
    ['throws', "throw new Error('at last');"],
  ])('and %s writes its buffered lines', async (_, end) => {
    const { stdout } = logging(FEW, end, 'pipe');
    const lines = (await text(stdout as NonNullable<typeof stdout>)).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([...Array(FEW).fill('some words'), 'the last words']);
  });

  test.each([
    ['nobody reads', () => unreadPipe().writer, 'the log was not read in time'],
    ['nobody can read any more', () => 'pipe' as const, 'the log could not be written (EPIPE)'],
    ['is on a full disk', () => openSync('/dev/full', 'w'), 'the log could not be written (ENOSPC)'],
  ])('and whose log %s ends all the same, and says so on standard error', async (_, stdout, reason) => {
    const child = logging(MANY, '', stdout());
    child.stdout?.destroy();
    const [stderr, [code]] = await Promise.all([
      text(child.stderr as NonNullable<typeof child.stderr>),
      once(child, 'close'),
    ]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `plant-store: the last log lines are lost, because ${reason}\n`,
    });
  });
});

test('an error is logged without what a driver adds to it', async () => {
  const { stdout } = logging(0, '', 'pipe');
  const { err } = JSON.parse(await text(stdout as NonNullable<typeof stdout>));
  expect(err).toEqual({ type: 'Error', message: 'no', stack: expect.any(String) });
});

test('a log that nobody reads: the service runs on in bounded memory, and says and counts what it drops', async () => {
  // More lines than 64 KiB in the pipe and 64 KiB in the buffer have room for.
  const service = await startLogged({ LOG_BUFFER_BYTES: '65536' });
  expect(await send(service.url, 1_000)).toEqual(new Set([401]));
  const dropped = async () => sumOf(await scrape(service.adminUrl), 'plant_store_log_lines_dropped_total');
  await expect.poll(dropped).toBeGreaterThan(50);

  const report = /"lines":(\d+),"msg":"log lines dropped, because the log was not read in time"/;
  const log = await service.readUntil(report);
  const lines = Number(report.exec(log)?.[1]);
  expect(timesIn(log, /"msg":"request completed"/) + lines).toBe(1_000);
  expect(await dropped()).toBe(lines);

  await send(service.url, 1_000);
  service.kill('SIGTERM');
  const stderr = 'plant-store: the last log lines are lost, because the log was not read in time\n';
  expect(await service.ended).toEqual({ code: 0, stderr });
});

test('a log whose reader goes away ends neither the service nor keeps it from ending', async () => {
  const service = await startLogged({});
  service.stopReading();
  expect(await send(service.url, 1_000)).toEqual(new Set([401]));
  service.kill('SIGTERM');
  expect((await service.ended).code).toBe(0);
});
