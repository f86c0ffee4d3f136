import { count, edgeLimits, type Limit } from '@plant-store/http-edge/limits';

/** The limits of the public listener: those of any, and of tokens. Options, their defaults, and the settings of a service are made of it. */
export const httpLimits = {
  ...edgeLimits,
  requestsPerSecond: {
    ...count,
    meaning: 'maximum requests per second with one token, per process; requests beyond it get a 429',
  },
} as const satisfies Readonly<Record<string, Limit>>;

export { adminLimits, type GivenLimits } from '@plant-store/http-edge/limits';
