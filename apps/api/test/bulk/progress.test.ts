import { expect, onTestFinished, test, vi } from 'vitest';
import { showProgress } from '../../src/bulk/progress.ts';

/** What is written to a terminal of 10 columns, or to a file, while `text` is shown once. */
function shown(isTTY: boolean, text: string): string[] {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const written: string[] = [];
  const stream = { isTTY, columns: 10, write: (chunk: string) => written.push(chunk) > 0 };
  const progress = showProgress(stream as unknown as NodeJS.WriteStream, () => text);
  vi.advanceTimersByTime(200);
  progress.say('a note\u001b');
  progress.stop();
  vi.advanceTimersByTime(1_000);
  return written;
}

const erase = '\r\u001b[K';

test.each([
  [
    'a terminal has a line that does not wrap, and is erased',
    true,
    [`${erase}1,000 sto`, erase, 'a note\\u001b\n', erase],
  ],
  ['a file has the notes only', false, ['a note\\u001b\n']],
])('%s', (_what, isTTY, written) => {
  expect(shown(isTTY, '1,000 stored')).toEqual(written);
});
