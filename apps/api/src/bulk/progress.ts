import type { Host } from '../host.ts';
import { printable } from '../printable.ts';

/** Shows on a terminal what is being done, on a line that disappears afterwards. */
export function showProgress(terminal: Host['stderr'], text: () => string) {
  const erase = () => terminal.isTTY && terminal.write(ERASE);
  // A line that wraps could not be erased.
  const show = () => terminal.write(`${ERASE}${text().slice(0, terminal.columns - 1)}`);
  const timer = terminal.isTTY ? setInterval(show, 200).unref() : undefined;
  return {
    /** Writes a line that stays. */
    say(line: string): void {
      erase();
      terminal.write(`${printable(line)}\n`);
    },
    stop(): void {
      clearInterval(timer);
      erase();
    },
  };
}

/** To the beginning of the line, and erase it (ECMA-48, EL). */
const ERASE = '\r\u001b[K';

/** A rounded number with thousands separators. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB');
}
