import { count, edgeLimits, type Limit } from '@plant-store/http-edge/limits';

/** The limits of the public listener. Options, their defaults, and the settings of a service are made of it. */
export const httpLimits = {
  ...edgeLimits,
  /** The maximum requests a second with one token; those beyond are responded to with 429. No limit without it. */
  requestsPerSecond: { ...count },
} as const satisfies Readonly<Record<string, Limit>>;

export { adminLimits, type GivenLimits } from '@plant-store/http-edge/limits';
