import { setTimeout as sleep } from 'node:timers/promises';
import { runSql } from '@plant-store/testing-postgres';

/** Counts the backends of a database. */
export interface BackendWatch {
  /** Stops and resolves with the maximum; undefined if the server never responded. */
  stop(): Promise<number | undefined>;
}

/** In milliseconds. */
const INTERVAL_MS = 250;

/**
 * Queries on a new connection each time, which is not counted.
 *
 * @param url of the database whose backends are counted.
 * @param askedAt a database of the same server that accepts connections however full the server is.
 */
export function watchBackends(url: string, askedAt: string): BackendWatch {
  const database = new URL(url).pathname.slice(1);
  let most: number | undefined;
  let watching = true;

  async function ask(): Promise<void> {
    const [row] = await runSql(
      askedAt,
      `SELECT count(*) FROM pg_stat_activity
       WHERE datname = $1 AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND query NOT LIKE '%pg_sleep%'`,
      [database],
    );
    most = Math.max(most ?? 0, Number(row?.['count']));
  }

  const watched = (async () => {
    while (watching) {
      // A server that is down or frozen does not respond; the next query may succeed.
      await Promise.race([ask().catch(() => {}), sleep(2_000)]);
      await sleep(INTERVAL_MS);
    }
  })();
  return {
    async stop() {
      watching = false;
      await watched;
      return most;
    },
  };
}
