import type { Percentiles } from '../load/load.ts';

/** The figures of one contestant under one load. Those that it does not have are omitted. */
export interface Measurement {
  readonly requestsPerSecond: number;
  /** In milliseconds, from the time at which a request was due. */
  readonly latency?: Percentiles;
  /** At a constant rate: the requests per second that were due. */
  readonly rate?: number;
  /** At a constant rate: how late requests were sent, in milliseconds. */
  readonly lateness?: Percentiles;
  /** CPU seconds of the contestant's own process per 1,000 requests, user and system. */
  readonly cpuPer1000?: number;
  /** Resident memory of its process at the end, and its peak, in bytes. */
  readonly rss?: number;
  readonly peakRss?: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Rows that the load added, counted in the table. */
  readonly rowsAdded?: number;
}
