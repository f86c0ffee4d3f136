/** A whole number that limits a listener: its default, and the range of the setting that an operator has for it. */
export interface Limit {
  /** Without one there is no limit. */
  readonly default?: number;
  readonly min?: number;
  readonly max?: number;
}

export const count = { min: 1, max: 1_000_000 } as const satisfies Limit;

/** The limits of the public listener. Options, their defaults, and the settings of a service are made of it. */
export const edgeLimits = {
  /** The largest body, in bytes. 1 MiB by default: thousands of times a usual record, and little memory for a request. */
  bodyLimit: { default: 1_048_576, min: 1, max: 1_073_741_824 },
  /**
   * The maximum number of requests in flight; those beyond are responded to with 503 before anything is done for them. A
   * request that waits for its body is none, and documents count apart. 2,000 by default: what one process completes in
   * about a tenth of a second. The same number of responses may wait to be read; beyond that, the connection of the one that
   * has been unread longest is cut off.
   */
  maxRequestsInFlight: { default: 2_000, ...count },
  /**
   * The maximum bytes of bodies above 16 KiB in memory at once, at least `bodyLimit`; those beyond are responded to with
   * 503. Smaller bodies that have not arrived may take half of it; beyond that, the oldest gets 503. 64 MiB by default: what
   * they take while they are parsed and stored stays below the 512 MiB that a container is usually given.
   */
  maxBodyBytesInFlight: { default: 67_108_864, min: 1, max: 1_099_511_627_776 },
  /**
   * The maximum number of open connections. Beyond that, a new one replaces the one that has been idle longest; if none is
   * idle, the new one is responded to with 503. 10,000 by default: some 160 MB.
   */
  maxConnections: { default: 10_000, ...count },
  /** How long the headers of a request may take, in milliseconds. 5,000 by default: slow senders must not pile up. */
  headersTimeout: { default: 5_000 },
  /** How long a whole request may take to arrive, in milliseconds. 10,000 by default, for the same reason. */
  requestTimeout: { default: 10_000 },
  /**
   * How long a client may take to read a response, in milliseconds, before its connection is cut off. 60,000 by default:
   * 2 MB arrive in that on a slow phone. A slow reader holds up nobody else.
   */
  responseTimeout: { default: 60_000 },
  /**
   * How long `close` waits for requests that are arriving or in progress, in milliseconds, before it cuts their
   * connections. 5,000 by default: an operation responds within 2,000, and a process usually has 10 seconds to exit, of which
   * {@link drain} may take some.
   */
  closeTimeout: { default: 5_000 },
} as const satisfies Readonly<Record<string, Limit>>;

/** The limits of the admin listener. */
export const adminLimits = {
  /**
   * The maximum number of open connections. 100 by default: probes and scrapes of many load balancers and monitors. At the
   * limit the idle ones are closed; if there is none, new ones are.
   */
  maxConnections: { default: 100, ...count },
} as const satisfies Readonly<Record<string, Limit>>;

/** Limits as options: each may be left out. */
export type GivenLimits<Limits> = { readonly [Name in keyof Limits]?: number };
