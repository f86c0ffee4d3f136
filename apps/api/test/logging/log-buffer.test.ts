import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { logBuffer } from '../../src/logging/log-buffer.ts';

test('lines are written together, in order, after a moment', async () => {
  const write = vi.fn<(text: string) => void>();
  const lines = logBuffer(() => ({ write }));
  lines.write('one\n');
  lines.write('two\n');
  expect(write).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(write.mock.calls).toEqual([['one\ntwo\n']]));
  lines.write('three\n');
  await vi.waitFor(() => expect(write.mock.calls).toEqual([['one\ntwo\n'], ['three\n']]));
});

test('at most 4,096 bytes are written together, unless one line is longer', () => {
  const write = vi.fn<(text: string) => void>();
  const lines = logBuffer(() => ({ write }));
  const line = (bytes: number) => `${'é'.repeat((bytes - 1) / 2)}\n`;
  for (const bytes of [2_047, 2_049, 2_001, 5_001, 11]) lines.write(line(bytes));
  expect(write.mock.calls.map(([text]) => Buffer.byteLength(text))).toEqual([4_096, 2_001, 5_001]);
});

test('a warning is written immediately, after the lines before it', () => {
  const write = vi.fn<(text: string) => void>();
  const log = pino(
    { base: null, timestamp: false },
    logBuffer(() => ({ write })),
  );
  log.info('one');
  log.warn('two');
  log.info('three');
  expect(write.mock.calls.map(([text]) => text.match(/[a-z]+(?="})/g))).toEqual([['one', 'two']]);
});

test.each([
  ['exits', 'process.exit();'],
  ['has nothing more to do', ''],
  ['throws', "throw new Error('at last');"],
])('a process that %s writes its buffered lines', async (_, end) => {
  const module = join(import.meta.dirname, '../../src/logging/log-buffer.ts');
  const program = `
    import { pino } from ${JSON.stringify(import.meta.resolve('pino'))};
    import { logBuffer } from ${JSON.stringify(module)};
    const log = pino(logBuffer(() => pino.destination(1)));
    log.info('the last words');
    ${end}`;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  const { stdout } = await run.catch((error) => error);
  expect(stdout).toContain('the last words');
});
