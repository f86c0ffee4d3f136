/** The limits of the public listener, and their defaults. Times are in milliseconds. */
export const httpLimits = {
  /** The size of a request body in bytes: hundreds of times a usual plant, and parsed so soon that nobody else waits. */
  bodyLimit: 65_536,
  /** Requests in flight, from the end of their bodies: completed in about a tenth of a second. Those beyond get a 503 at once. */
  maxRequestsInFlight: 2_000,
  /** A proxy in front needs hundreds; as many unfinished requests still fit into a heap of 256 MB. Those beyond are closed. */
  maxConnections: 2_000,
  /** How long an idle connection stays open: longer than in the proxy, 60 s in most, or that sends on one just closed. */
  keepAliveTimeout: 72_000,
  /** How long the head of a request may take: slow senders must not pile up. */
  headersTimeout: 5_000,
  /** How long a whole request may take to arrive: 64 KiB do on a slow phone. */
  requestTimeout: 10_000,
};

/** Limits as options: each may be left out. */
export type HttpLimits = Partial<typeof httpLimits>;

/** The default for the connections of the admin listener: probes and scrapes of many load balancers and monitors. */
export const ADMIN_MAX_CONNECTIONS = 100;
