import type { Host } from '../host.ts';
import { printable } from '../printable.ts';

/** Shows on a terminal what is being done, on a line that disappears afterwards. */
export function showProgress(terminal: Host['stderr'], text: () => string) {
  // To the beginning of the line, and erase it (ECMA-48, EL).
  const erase = terminal.isTTY ? '\r\u001b[K' : '';
  const timer = terminal.isTTY ? setInterval(() => terminal.write(erase + text()), 200).unref() : undefined;
  return {
    /** Writes a line that stays. */
    say(line: string): void {
      terminal.write(`${erase}${printable(line)}\n`);
    },
    [Symbol.dispose](): void {
      clearInterval(timer);
      terminal.write(erase);
    },
  };
}

/** A rounded number with thousands separators. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB');
}
