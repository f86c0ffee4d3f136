import type { Summary } from '../samples.ts';

/** The columns of every table of figures, after the first. */
export const figureHeader: readonly string[] = [
  'req/s',
  'p50 ms',
  'p99 ms',
  'p99.9 ms',
  'late p99 ms',
  'CPU s per 1,000',
  'RSS MB',
  'peak MB',
  'responses',
];

export function figureCells(summary: Summary): readonly string[] {
  return [
    Math.round(summary.requestsPerSecond).toLocaleString('en'),
    fixed(summary.p50, 2),
    fixed(summary.p99, 2),
    fixed(summary.p999, 2),
    fixed(summary.lateP99, 2),
    fixed(summary.cpuPer1000, 3),
    megabytes(summary.rss),
    megabytes(summary.peakRss),
    Object.entries(summary.outcomes)
      .map(([outcome, count]) => `${outcome}: ${count.toLocaleString('en')}`)
      .join(', '),
  ];
}

/** The ratio of the requests per second, if the other took part. */
export function timesCell(summary: Summary, other: Summary | undefined): string {
  return other ? fixed(summary.requestsPerSecond / other.requestsPerSecond, 2) : '';
}

function fixed(value: number | undefined, digits: number): string {
  return value === undefined ? '' : value.toFixed(digits);
}

function megabytes(bytes: number | undefined): string {
  return fixed(bytes === undefined ? undefined : bytes / 1e6, 0);
}
