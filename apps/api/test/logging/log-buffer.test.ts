import { execFile, execFileSync } from 'node:child_process';
import fs, { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type LogBuffer, logBuffer } from '../../src/logging/log-buffer.ts';
import { scratchDirectory } from '../running-service.ts';

/** The writes of a test, which are done all the same. A worker may have loaded what writes before: vi.mock would be too late. */
function writes() {
  const spy = vi.spyOn(fs, 'writeSync');
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  return spy;
}

async function bufferToFile(): Promise<{ lines: LogBuffer; written: () => string }> {
  const file = join(await scratchDirectory(onTestFinished), 'log');
  const lines = logBuffer(4_096, { fd: openSync(file, 'w'), onDropped: vi.fn(), onDroppedAtExit: vi.fn() });
  onTestFinished(lines.close);
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

test('one that is closed has written its lines, and leaves no listener behind', async () => {
  const before = process.listenerCount('exit');
  const { lines, written } = await bufferToFile();
  lines.write('one\n', false);
  lines.close();
  expect([written(), process.listenerCount('exit')]).toEqual(['one\n', before]);
});

test('at most 4,096 bytes are written together', async () => {
  const { lines, written } = await bufferToFile();
  const line = (bytes: number) => `${'é'.repeat((bytes - 1) / 2)}\n`;
  const { mock } = writes();
  for (const bytes of [2_047, 2_049, 2_001, 4_001, 11]) lines.write(line(bytes), false);
  expect(Buffer.byteLength(written())).toBe(4_096 + 2_001);
  const chunks = mock.calls.map(([, chunk]) => chunk.length);
  expect(chunks).toEqual([4_096, 2_001]);
});

test('a line of which a full disk took only a part is dropped, and the next one begins on a line of its own', async () => {
  const { lines, written } = await bufferToFile();
  const { writeSync: write } = fs;
  const full = () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  };
  const takesFive = (fd: number, chunk: unknown) => write(fd, chunk as Buffer, 0, 5);
  writes().mockImplementationOnce(takesFive).mockImplementationOnce(full).mockImplementationOnce(full);
  lines.write('one\ntwo\nthree\n', true);
  lines.write('four\n', true);
  lines.write('five\n', true);
  expect([written(), lines.droppedLines()]).toEqual(['one\nt\nfive\n', 3]);
});

test('while a pipe has no reader, lines are dropped; its next reader is told how many, and why', async () => {
  const pipe = join(await scratchDirectory(onTestFinished), 'log');
  execFileSync('mkfifo', [pipe]);
  const openReader = () => openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const first = openReader();
  const onDropped = vi.fn((count: number, code?: string) => lines.write(`${count} dropped: ${code}\n`, true));
  const fd = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  const lines = logBuffer(4_096, { fd, onDropped, onDroppedAtExit: vi.fn() });
  onTestFinished(lines.close);
  closeSync(first);
  lines.write('one\n', false);
  lines.write('two\n', true);
  lines.write('three\n', true);
  expect([lines.droppedLines(), onDropped.mock.calls]).toEqual([3, []]);

  const second = openReader();
  lines.write('four\n', true);
  const buffer = Buffer.alloc(100);
  expect(buffer.toString('utf8', 0, readSync(second, buffer))).toBe('four\n3 dropped: EPIPE\n');
  closeSync(second);
});

test('a process whose log has no reader says so on standard error when it exits', async () => {
  const running = logging('');
  running.child.stdout?.destroy();
  expect((await running).stderr).toBe(
    'plant-store: log lines dropped, because the log could not be written (EPIPE) (1)\n',
  );
});

test.each([
  ['exits', 'process.exit();'],
  ['has nothing more to do', ''],
  ['throws', "throw new Error('at last');"],
])('a process that %s writes its buffered lines', async (_, end) => {
  const { stdout } = await logging(end).catch((error) => error);
  expect(stdout).toContain('the last words');
});

/** A process that logs one line and then ends. */
function logging(end: string) {
  const program = `
    import { openLog } from ${JSON.stringify(join(import.meta.dirname, '../../src/logging/index.ts'))};
    const { logger } = await openLog({ logLevel: 'info', logBufferBytes: 4096 });
    logger.info('the last words');
    ${end}`;
  const node = ['--conditions=development', '--input-type=module', '--eval', program];
  return promisify(execFile)(process.execPath, node);
}
