import { setTimeout as sleep } from 'node:timers/promises';
import { runSql } from '@plant-store/testing-postgres';

/** Watches how many backends a server has for a database. */
export interface BackendWatch {
  /** Stops, and resolves with the most that were seen; undefined when the server never told. */
  stop(): Promise<number | undefined>;
}

/** How often it asks, in milliseconds. */
const EVERY_MS = 250;

/**
 * Asks on a connection of its own each time, which is not counted.
 *
 * @param url of the database whose backends are counted.
 * @param askedAt a database of the same server that lets us in, however full the server is.
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
      // A server that is down or frozen tells nothing; it is asked again.
      await Promise.race([ask().catch(() => {}), sleep(2_000)]);
      await sleep(EVERY_MS);
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
