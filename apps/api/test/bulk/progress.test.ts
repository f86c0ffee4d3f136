import { expect, onTestFinished, test, vi } from 'vitest';
import { showProgress } from '../../src/bulk/progress.ts';

/** What is written to a terminal, or to a file, while the progress is shown once. */
function shown(isTTY: boolean): string[] {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const written: string[] = [];
  const stream = { isTTY, write: (chunk: string) => written.push(chunk) > 0 };
  const progress = showProgress(stream as unknown as NodeJS.WriteStream, () => '1,000 stored');
  vi.advanceTimersByTime(200);
  progress.say('a note\u001b');
  progress[Symbol.dispose]();
  vi.advanceTimersByTime(1_000);
  return written;
}

const erase = '\r\u001b[K';

test.each([
  ['a terminal has a line that is erased', true, [`${erase}1,000 stored`, `${erase}a note\\u001b\n`, erase]],
  ['a file has the notes only', false, ['a note\\u001b\n', '']],
])('%s', (_what, isTTY, written) => {
  expect(shown(isTTY)).toEqual(written);
});
