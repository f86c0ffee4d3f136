import type { Order } from '../src/load/load.ts';

/** A short load of small plants; a test sets what it is about. */
export const anOrder: Order = {
  connections: 4,
  seconds: 60,
  requests: 100,
  ids: 'random',
  nameBytes: 18,
  duplicates: 0,
  port: 0,
  token: 'token',
  firstPlant: 0,
};
