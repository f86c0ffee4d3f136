/** A load on a contestant. */
export interface Load {
  /** Connections, each with at most one request in flight. */
  readonly connections: number;
  /** How long requests are sent. */
  readonly seconds: number;
  /**
   * Requests per second at a constant rate, however fast responses arrive (open loop). Without it every connection sends
   * the next request after the response (closed loop).
   */
  readonly rate?: number | undefined;
}

/** A load with the address and the numbers of its plants. */
export interface Order extends Load {
  readonly port: number;
  readonly token: string;
  /** The number of the first plant. Plants of different numbers have different ids. */
  readonly firstPlant: number;
}

/** The result of a load. */
export interface LoadResult {
  /** How long requests were sent, in seconds. */
  readonly seconds: number;
  /** Responses with status 200 in that time. */
  readonly completedInTime: number;
  /** Responses by status, and `lost` connections with a request in flight. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Plants that were sent: the numbers that are used up. */
  readonly sent: number;
  /** Of those, the created ones and those that may or may not be stored: status 5xx, or lost. */
  readonly created: number;
  readonly unknown: number;
  /** Responses with status 200 whose body does not have the length of the plant. */
  readonly wrongBodies: number;
  /** From the time at which a request was due to its response, in milliseconds. */
  readonly latency: Percentiles;
  /** How late requests were sent, in milliseconds, because of the generator or for lack of a free connection. */
  readonly lateness: Percentiles;
}

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}
