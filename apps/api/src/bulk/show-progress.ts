import { progressLine, type Terminal } from '../progress-line.ts';

/** What progress is told of: how much was done, and how much of the whole that is, where anybody knows. */
export interface Shown {
  readonly done: number;
  readonly rest: string;
  /** Of the file; undefined where nobody knows how long it is. */
  readonly bytes: { readonly done: number; readonly skipped: number; readonly size: number } | undefined;
}

/**
 * Shows how far a long command has come: on a terminal a bar with the rate and the time that is left, elsewhere a line
 * now and then. Resolves what stops it.
 */
export function showProgress(stream: Terminal, look: () => Shown): () => void {
  const started = performance.now();
  const line = progressLine(stream);
  const text = () => progressText(look(), (performance.now() - started) / 1_000, stream.isTTY ? stream.columns : 80);
  const timer = stream.isTTY
    ? setInterval(() => line.show(text()), EVERY_MS)
    : setInterval(() => stream.write(`${text()}\n`), EVERY_MS_IN_A_LOG);
  timer.unref();
  return () => {
    clearInterval(timer);
    line.erase();
  };
}

const EVERY_MS = 200;
const EVERY_MS_IN_A_LOG = 10_000;

/**
 * A line of progress after so many seconds. What matters most comes first, since a terminal of few columns cuts the end
 * off; the bar takes what is left of them.
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

/** A whole number with commas. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB');
}

function duration(seconds: number): string {
  const rounded = Math.ceil(seconds);
  return rounded < 60 ? `${rounded} s` : `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
}
