import type { Host } from '../host.ts';
import { printable } from '../printable.ts';

/** Shows progress on a terminal, on a line that disappears afterwards. */
export function showProgress(terminal: Host['stderr'], text: () => string) {
  // Return to the start of the line and erase it (ECMA-48, EL).
  const erase = terminal.isTTY ? '\r\u001b[K' : '';
  const timer = terminal.isTTY ? setInterval(() => terminal.write(erase + text()), 200).unref() : undefined;
  return {
    /** Prints a permanent line. */
    say(line: string): void {
      terminal.write(`${erase}${printable(line)}\n`);
    },
    [Symbol.dispose](): void {
      clearInterval(timer);
      terminal.write(erase);
    },
  };
}

/** Formats a rounded number with thousands separators. */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-GB');
}
