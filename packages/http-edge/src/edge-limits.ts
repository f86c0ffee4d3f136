/** A whole number that limits a listener: its default, and the setting that an operator has for it. */
export interface Limit {
  /** Without one there is no limit. */
  readonly default?: number;
  /** The range of the setting; without one there is none. */
  readonly min?: number;
  readonly max?: number;
  /** A line for a document or a command's help; other limits have the names of their options in it. */
  readonly meaning: string;
}

export const count = { min: 1, max: 1_000_000 } as const satisfies Partial<Limit>;

/** The limits of the public listener. Options, their defaults, and the settings of a service are made of it. */
export const edgeLimits = {
  /** 1 MiB: thousands of times a usual record, and little memory for a request. */
  bodyLimit: { default: 1_048_576, min: 1, max: 1_073_741_824, meaning: 'maximum request body in bytes' },
  /**
   * 2,000: what one process completes in about a tenth of a second. Documents count apart. The same number of responses may
   * wait to be read; beyond that, the connection of the one that has been unread longest is cut off.
   */
  maxRequestsInFlight: {
    ...count,
    default: 2_000,
    meaning:
      'maximum requests in flight per process, without those that wait for their bodies; requests beyond it get a 503 immediately',
  },
  /** 64 MiB: what they take while they are parsed and stored stays below the 512 MiB that a container is usually given. */
  maxBodyBytesInFlight: {
    default: 67_108_864,
    min: 1,
    max: 1_099_511_627_776,
    meaning:
      'maximum bytes of request bodies above 16 KiB in flight per process, at least bodyLimit; such requests beyond it get a 503, and so do the oldest of smaller bodies that are unfinished beyond half of it',
  },
  /** 10,000: some 160 MB. If none is idle, the new one is responded to with 503. */
  maxConnections: {
    ...count,
    default: 10_000,
    meaning: 'maximum open connections per process; beyond it the connection that has been idle longest is closed',
  },
  headersTimeout: {
    default: 5_000,
    meaning: 'how long the headers of a request may take, in milliseconds: slow senders must not pile up',
  },
  requestTimeout: { default: 10_000, meaning: 'how long a whole request may take to arrive, in milliseconds' },
  /** 60,000: 2 MB arrive in that on a slow phone. A slow reader holds up nobody else. */
  responseTimeout: {
    default: 60_000,
    meaning: 'how long a client may take to read a response, in milliseconds, before its connection is cut off',
  },
  /** 5,000: an operation responds within 2,000, and a process usually has 10 seconds to exit, of which `drain` may take some. */
  closeTimeout: {
    default: 5_000,
    meaning:
      'how long close waits for requests that are arriving or in progress, in milliseconds, before it cuts their connections',
  },
} as const satisfies Readonly<Record<string, Limit>>;

/** The limits of the admin listener. */
export const adminLimits = {
  /** 100: probes and scrapes of many load balancers and monitors. */
  maxConnections: {
    ...count,
    default: 100,
    meaning:
      'maximum open connections to the admin listener, per process; beyond it the connection that has been idle longest is closed, and if none is idle, the new one gets a 503',
  },
} as const satisfies Readonly<Record<string, Limit>>;

/** Limits as options: each may be left out. */
export type GivenLimits<Limits> = { readonly [Name in keyof Limits]?: number };
