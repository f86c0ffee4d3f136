/** The limits of the public listener with their defaults. Times are in milliseconds. The proxy limits each client. */
export const httpLimits = {
  /** Maximum request body in bytes: hundreds of times a usual plant, and parsed fast enough not to delay other requests. */
  bodyLimit: 65_536,
  /** Maximum requests in flight, from their heads on: twice what the proxy sends. Further ones get a 503 at once. */
  maxRequestsInFlight: 1_000,
  /** Maximum requests of each subject per second; unlimited by default. Further ones get a 429. */
  requestsPerSecond: undefined as number | undefined,
  /** Maximum connections: a proxy needs hundreds. Further ones are closed. */
  maxConnections: 1_500,
  /** Idle time before a connection is closed. If it were below the proxy's, usually 60 s, the proxy could use a closed one. */
  keepAliveTimeout: 72_000,
  /** Maximum time for the request line and headers, so that slow senders do not accumulate. */
  headersTimeout: 5_000,
  /** Maximum time for a whole request to arrive: enough for 64 KiB on a slow phone. */
  requestTimeout: 10_000,
};

/** The limits as options. Each may be omitted. */
export type HttpLimits = Partial<typeof httpLimits>;
