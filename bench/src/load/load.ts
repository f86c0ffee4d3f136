/** How a contestant is loaded. */
export interface Load {
  /** Connections that are open all the time, each with one request under way at most. */
  readonly connections: number;
  /** How long requests are sent. */
  readonly seconds: number;
  /** Ends it earlier: after so many requests. */
  readonly requests?: number;
  /**
   * Requests per second at a constant rate, however fast answers come (open loop). Without it every connection sends
   * the next request when it has its answer (closed loop).
   */
  readonly rate?: number;
  /** `random`: anywhere in a B-tree; `sequential`: always at its end. */
  readonly ids: 'random' | 'sequential';
  /** Bytes in a name. */
  readonly nameBytes: number;
  /** The share of requests, from 0 to 1, that repeat one which was answered 200 before. */
  readonly duplicates: number;
  /** Clients beside the others that send a byte every few milliseconds. */
  readonly slowClients: number;
}

/** A load with an address, and the numbers of its plants. */
export interface Order extends Load {
  readonly port: number;
  readonly token: string;
  /** The number of the first new plant. Plants of different numbers have different ids. */
  readonly firstPlant: number;
}

/** What came of it. */
export interface LoadResult {
  /** The time in which requests were sent, in seconds. */
  readonly seconds: number;
  /** Answers of status 200 that came within it. */
  readonly answeredInTime: number;
  /** All answers by their status, and `lost` connections with a request under way. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** New plants that were sent: they have used up so many numbers. */
  readonly sent: number;
  /** Those of them that were answered 200, and those that may be stored or not: answered 5xx, or lost. */
  readonly created: number;
  readonly unknown: number;
  /** Answers of status 200 whose body has not the length of the plant. */
  readonly wrongBodies: number;
  /** From the moment at which a request was due to its answer, in milliseconds. */
  readonly latency: Percentiles;
  /** How much later than due requests were sent, in milliseconds: the generator's own share, and waiting for a connection. */
  readonly lateness: Percentiles;
  /** What the generator itself used, in CPU seconds. */
  readonly generatorCpuSeconds: number;
}

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}
