import { printable } from './printable.ts';
import { progressLine, type Terminal } from './progress-line.ts';

/** What the progress shows: how much was done and, if the size is known, what share that is. */
export interface Shown {
  readonly done: number;
  readonly rest: string;
  /** Of the file; undefined if its size is unknown. */
  readonly bytes: { readonly done: number; readonly skipped: number; readonly size: number } | undefined;
}

/** The progress that is being shown. */
interface ProgressDisplay {
  /** Writes a line that stays. */
  say(line: string): void;
  stop(): void;
}

/**
 * Shows the progress of a long command: on a terminal a bar with the rate and the time left, elsewhere a line every 10 s.
 */
export function showProgress(stream: Terminal, current: () => Shown): ProgressDisplay {
  const started = performance.now();
  const line = progressLine(stream);
  const text = () => progressText(current(), (performance.now() - started) / 1_000, stream.isTTY ? stream.columns : 80);
  const timer = stream.isTTY
    ? setInterval(() => line.show(text()), TERMINAL_INTERVAL_MS)
    : setInterval(() => stream.write(`${printable(text())}\n`), LOG_INTERVAL_MS);
  timer.unref();
  return {
    say(said) {
      line.erase();
      stream.write(`${printable(said)}\n`);
    },
    stop() {
      clearInterval(timer);
      line.erase();
    },
  };
}

const TERMINAL_INTERVAL_MS = 200;
const LOG_INTERVAL_MS = 10_000;

/**
 * A line of progress. The most important part comes first, since a narrow terminal cuts off the end; the bar takes the
 * remaining columns.
 */
export function progressText({ done, rest, bytes }: Shown, seconds: number, columns: number): string {
  const rate = `${whole(done / Math.max(seconds, 0.001))}/s`;
  const counts = `${whole(done)} ${rest}`;
  if (bytes === undefined) return `${rate}, ${counts}`;
  const share = Math.min(1, bytes.done / bytes.size);
  // What was skipped took no time.
  const since = bytes.done - bytes.skipped;
  const left = since > 0 ? `, ${duration((seconds / since) * (bytes.size - bytes.done))} left` : '';
  const text = `${Math.floor(share * 100)} %  ${rate}${left}  ${counts}`;
  const width = Math.min(WIDEST_BAR, columns - text.length - 2);
  if (width < NARROWEST_BAR) return text;
  const filled = Math.floor(share * width);
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${text}`;
}

const WIDEST_BAR = 20;
const NARROWEST_BAR = 5;

/** A rounded number with thousands separators. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB');
}

function duration(seconds: number): string {
  const rounded = Math.ceil(seconds);
  return rounded < 60 ? `${rounded} s` : `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
}
