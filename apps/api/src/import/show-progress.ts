import { progressLine, type Terminal } from '../verify/progress-line.ts';

/** What progress is told of: how much was done, and how much of the whole that is, where anybody knows. */
export interface Shown {
  readonly done: number;
  readonly rest: string;
  /** From 0 to 1. */
  readonly share: number | undefined;
}

/**
 * Shows how far a long command has come: on a terminal a bar with the rate and the time that is left, elsewhere a line
 * now and then. Resolves what stops it.
 */
export function showProgress(stream: Terminal, look: () => Shown): () => void {
  const started = performance.now();
  const line = progressLine(stream);
  const text = () => progressText(look(), (performance.now() - started) / 1_000);
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

/** A line of progress after so many seconds. */
function progressText({ done, rest, share }: Shown, seconds: number): string {
  const rate = `${whole(done / Math.max(seconds, 0.001))}/s`;
  if (share === undefined) return `${whole(done)} ${rest}, ${rate}`;
  const filled = Math.min(WIDTH, Math.floor(share * WIDTH));
  const bar = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${Math.floor(share * 100)} %`;
  const left = share > 0 ? `, ${duration((seconds / share) * (1 - share))} left` : '';
  return `${bar}  ${whole(done)} ${rest}, ${rate}${left}`;
}

const WIDTH = 20;

/** A whole number with commas. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB');
}

function duration(seconds: number): string {
  const rounded = Math.ceil(seconds);
  return rounded < 60 ? `${rounded} s` : `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
}
