import type { Platform } from './platform.ts';

/**
 * Creates a probe that joins the probe in flight, because each probe of a hanging engine holds a connection, and the number of
 * checks is not limited.
 *
 * @param probe may throw synchronously.
 */
export function sharedProbe(probe: () => Promise<void>, { now }: Pick<Platform, 'now'>): () => Promise<void> {
  let inFlight: { readonly result: Promise<void>; readonly since: number } | undefined;
  return () => {
    if (inFlight && now() - inFlight.since < HANGING_PROBE_MS) return inFlight.result;
    const own = { result: (async () => probe())(), since: now() };
    const end = () => {
      if (inFlight === own) inFlight = undefined;
    };
    own.result.then(end, end);
    inFlight = own;
    return own.result;
  };
}

/**
 * 5 s: a hanging probe holds a connection until the server responds or the connection is closed, after 30 s at most. One probe
 * every 5 s does not exhaust ten connections in that time.
 */
const HANGING_PROBE_MS = 5_000;
