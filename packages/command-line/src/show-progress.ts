import { printable } from './printable.ts';
import { progressLine, type Terminal } from './progress-line.ts';

/** How much was done and, if the size is known, which share of it that is. */
export interface Shown {
  readonly done: number;
  readonly rest: string;
  /** From 0 to 1; undefined if the size is unknown. */
  readonly share: number | undefined;
}

/** Shows the progress of a long command on a terminal. */
export function showProgress(stream: Terminal, current: () => Shown) {
  const started = performance.now();
  const line = progressLine(stream);
  const show = () => line.show(progressText(current(), (performance.now() - started) / 1_000));
  const timer = setInterval(show, 200).unref();
  return {
    /** Writes a line that stays. */
    say(text: string): void {
      line.erase();
      stream.write(`${printable(text)}\n`);
    },
    stop(): void {
      clearInterval(timer);
      line.erase();
    },
  };
}

/** A line of progress. The most important part comes first, since a narrow terminal cuts off the end. */
export function progressText({ done, rest, share }: Shown, seconds: number): string {
  const rate = `${whole(done / Math.max(seconds, 0.001))}/s`;
  const counts = `${whole(done)} ${rest}`;
  if (!share) return `${rate}, ${counts}`;
  const left = Math.ceil((seconds / share) * (1 - share));
  return `${Math.floor(share * 100)} %  ${rate}, ${left < 120 ? `${left} s` : `${Math.ceil(left / 60)} min`} left  ${counts}`;
}

/** A rounded number with thousands separators. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB');
}
