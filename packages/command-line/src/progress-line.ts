import type { WriteStream } from 'node:tty';
import { printable } from './printable.ts';

/** A line on a terminal that shows what is being done and disappears afterwards. */
export interface ProgressLine {
  /** Shows text, which may be from elsewhere. */
  show(text: string): void;
  erase(): void;
}

/** The part of a stream that it uses. */
export type Terminal = Pick<WriteStream, 'isTTY' | 'columns' | 'write' | 'cursorTo' | 'clearLine'>;

/** Writes nothing unless the stream is a terminal. */
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
      stream.write(printable(text).slice(0, stream.columns - 1));
    },
    erase,
  };
}
