import type { Platform } from './platform.ts';

/**
 * Makes a probe that joins the one under way: while the engine hangs, each holds a connection, and any number of checks
 * may ask.
 *
 * @param probe may throw at once.
 */
export function sharedProbe(probe: () => Promise<void>, { now }: Pick<Platform, 'now'>): () => Promise<void> {
  let underWay: { readonly result: Promise<void>; readonly since: number } | undefined;
  return () => {
    if (underWay && now() - underWay.since < HANGING_PROBE_MS) return underWay.result;
    const mine = { result: (async () => probe())(), since: now() };
    const end = () => {
      if (underWay === mine) underWay = undefined;
    };
    mine.result.then(end, end);
    underWay = mine;
    return mine.result;
  };
}

/**
 * 5 s: each probe that hangs holds a connection, until the server answers or it is dropped. With one every 5 s, ten
 * connections last longer than the 30 s after which the first is dropped.
 */
const HANGING_PROBE_MS = 5_000;
