import type { Percentiles } from '../load/load.ts';

/** What one contestant did under one load. What it does not have is left out. */
export interface Measurement {
  readonly requestsPerSecond: number;
  /** In milliseconds, from the moment at which a request was due. */
  readonly latency?: Percentiles;
  /** At a constant rate: how late requests were sent, in milliseconds. */
  readonly lateness?: Percentiles;
  /** CPU seconds of the contestant's own process per 1,000 requests, user and system. */
  readonly cpuPer1000?: number;
  /** Resident memory of its process at the end, and the most since it was started, in bytes. */
  readonly rss?: number;
  readonly peakRss?: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Rows that the load added, as the table itself counts them. */
  readonly rowsAdded?: number;
}
