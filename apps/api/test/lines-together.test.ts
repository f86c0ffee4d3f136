import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { linesTogether } from '../src/lines-together.ts';

test('lines are handed on together, in their order, a moment later', async () => {
  const write = vi.fn<(text: string) => void>();
  const lines = linesTogether({ write });
  lines.write('one\n');
  lines.write('two\n');
  expect(write).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(write.mock.calls).toEqual([['one\ntwo\n']]));
  lines.write('three\n');
  await vi.waitFor(() => expect(write.mock.calls).toEqual([['one\ntwo\n'], ['three\n']]));
});

test('no more than 4,096 bytes are handed on together, unless one line is longer', () => {
  const write = vi.fn<(text: string) => void>();
  const lines = linesTogether({ write });
  const line = (bytes: number) => `${'é'.repeat((bytes - 1) / 2)}\n`;
  for (const bytes of [2_047, 2_049, 2_001, 5_001, 11]) lines.write(line(bytes));
  expect(write.mock.calls.map(([text]) => Buffer.byteLength(text))).toEqual([4_096, 2_001, 5_001]);
});

test('a process that exits hands on what it has', async () => {
  const module = join(import.meta.dirname, '../src/lines-together.ts');
  const program = `
    import { linesTogether } from ${JSON.stringify(module)};
    linesTogether(process.stdout).write('the last words');
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout).toBe('the last words');
});
