import { execFile, execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type LogBuffer, logBuffer } from '../../src/logging/log-buffer.ts';
import { scratchDirectory } from '../running-service.ts';

async function bufferToFile(): Promise<{ lines: LogBuffer; written: () => string }> {
  const file = join(await scratchDirectory(onTestFinished), 'log');
  const lines = logBuffer(4_096, { fd: openSync(file, 'w'), onDropped: vi.fn(), onDroppedAtExit: vi.fn() });
  return { lines, written: () => readFileSync(file, 'utf8') };
}

test('lines are written together, in order, after a moment', async () => {
  const { lines, written } = await bufferToFile();
  lines.write('one\n', false);
  lines.write('two\n', false);
  expect(written()).toBe('');
  await vi.waitFor(() => expect(written()).toBe('one\ntwo\n'));
  lines.write('three\n', false);
  await vi.waitFor(() => expect(written()).toBe('one\ntwo\nthree\n'));
});

test('an urgent line is written immediately, after the lines before it', async () => {
  const { lines, written } = await bufferToFile();
  lines.write('one\n', false);
  lines.write('two\n', true);
  lines.write('three\n', false);
  expect(written()).toBe('one\ntwo\n');
});

test('while a pipe has no reader, lines are dropped; its next reader is told how many', async () => {
  const pipe = join(await scratchDirectory(onTestFinished), 'log');
  execFileSync('mkfifo', [pipe]);
  const openReader = () => openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const first = openReader();
  const onDropped = vi.fn((count: number) => lines.write(`${count} dropped\n`, true));
  const fd = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  const lines = logBuffer(4_096, { fd, onDropped, onDroppedAtExit: vi.fn() });
  closeSync(first);
  lines.write('one\n', false);
  lines.write('two\n', true);
  lines.write('three\n', true);
  expect([lines.droppedLines(), onDropped.mock.calls]).toEqual([3, []]);

  const second = openReader();
  lines.write('four\n', true);
  const buffer = Buffer.alloc(100);
  expect(buffer.toString('utf8', 0, readSync(second, buffer))).toBe('four\n3 dropped\n');
  closeSync(second);
});

test.each([
  ['exits', 'process.exit();'],
  ['has nothing more to do', ''],
  ['throws', "throw new Error('at last');"],
])('a process that %s writes its buffered lines', async (_, end) => {
  const program = `
    import { openLog } from ${JSON.stringify(join(import.meta.dirname, '../../src/logging/index.ts'))};
    const { logger } = await openLog({ logLevel: 'info', logBufferBytes: 4096 });
    logger.info('the last words');
    ${end}`;
  const node = ['--conditions=development', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, node).catch((error) => error);
  expect(stdout).toContain('the last words');
});
