import type { WriteStream } from 'node:tty';

/** A line that tells a person at a terminal what is being done, and is gone when it is done. */
export interface ProgressLine {
  show(text: string): void;
  erase(): void;
}

/** What it needs of a stream. */
export type Terminal = Pick<WriteStream, 'isTTY' | 'columns' | 'write' | 'cursorTo' | 'clearLine'>;

/** Elsewhere than on a terminal nothing is written at all. */
export function progressLine(stream: Terminal): ProgressLine {
  if (!stream.isTTY) return { show: () => {}, erase: () => {} };
  const erase = () => {
    stream.cursorTo(0);
    stream.clearLine(0);
  };
  return {
    show(text) {
      erase();
      // A line that wraps could not be erased.
      stream.write(text.slice(0, stream.columns - 1));
    },
    erase,
  };
}
