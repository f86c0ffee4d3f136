import type { Result } from './client.ts';
import { isDecided } from './figures.ts';
import type { SentPlant } from './plants.ts';

/**
 * Requests at a constant rate, however fast the responses arrive. It keeps every plant with its response, for the history, and
 * opens a connection where none is free. That of `bench` keeps neither, since it must cost less CPU than what it measures.
 */
export interface Load {
  /** The results so far, in the order of completion. */
  readonly results: readonly Result[];
  /** Stops sending and resolves once every request has been completed or lost. */
  stop(): Promise<readonly Result[]>;
}

/** How often the generator checks the clock, in milliseconds. */
const TICK_MS = 5;

/** Sends `rate` new plants per second. */
export function startLoad(rate: number, next: () => SentPlant, send: (plant: SentPlant) => Promise<Result>): Load {
  const results: Result[] = [];
  const inFlight = new Set<Promise<void>>();
  const start = performance.now();
  let sent = 0;

  const ticks = setInterval(() => {
    const due = ((performance.now() - start) / 1_000) * rate;
    for (; sent < due; sent += 1) {
      const completed = send(next()).then((result) => void results.push(result));
      inFlight.add(completed);
      void completed.finally(() => inFlight.delete(completed));
    }
  }, TICK_MS);

  return {
    results,
    async stop() {
      clearInterval(ticks);
      await Promise.all(inFlight);
      return results;
    },
  };
}

/** What is retried unless the store has decided it. */
interface Again {
  readonly plant: SentPlant;
  readonly outcome: Result['outcome'] | 'left';
}

/** Retries once what the store has not decided, a few at a time. */
export async function sendAgain(
  results: readonly Again[],
  send: (plant: SentPlant) => Promise<Result>,
): Promise<readonly Result[]> {
  const waiting = results.filter((result) => !isDecided(result)).values();
  const again: Result[] = [];
  const sender = async () => {
    for (const { plant } of waiting) again.push(await send(plant));
  };
  await Promise.all(Array.from({ length: 16 }, sender));
  return again;
}
