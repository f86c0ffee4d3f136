import { setTimeout as sleep } from 'node:timers/promises';
import { runSql } from '@plant-store/testing-postgres';
import type { DedicatedStore } from './dedicated-store.ts';

/** Sessions that take every connection slot for ordinary users. */
export interface Slots {
  /** Takes every slot, including those of the service. */
  take(): Promise<void>;
  free(): Promise<void>;
}

/** Only the slots reserved for superusers stay free. */
export function takeEverySlot({ server, url }: DedicatedStore): Slots {
  const sessions = new Set<Promise<unknown>>();

  /** Resolves once a session is rejected: no slot is left. */
  async function fill(): Promise<void> {
    let full = false;
    while (!full) {
      for (let more = 0; more < 20; more += 1) {
        const session = runSql(url, 'SELECT pg_sleep(600)').catch(({ code }: { code?: string }) => {
          sessions.delete(session);
          full ||= code === '53300';
        });
        sessions.add(session);
      }
      await sleep(100);
    }
  }

  return {
    async take() {
      await fill();
      // The service's slots are free now; it may take them again.
      while ((await serviceSessions(server.url)) > 0) {
        await runSql(server.url, `SELECT pg_terminate_backend(pid) ${OF_THE_SERVICE}`);
        await fill();
      }
    },
    async free() {
      await runSql(
        server.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)'`,
      );
      await Promise.all(sessions);
    },
  };
}

async function serviceSessions(url: string): Promise<number> {
  const [row] = await runSql(url, `SELECT count(*) ${OF_THE_SERVICE}`);
  return Number(row?.['count']);
}

const OF_THE_SERVICE = `FROM pg_stat_activity WHERE usename = 'gardener' AND query NOT LIKE '%pg_sleep(600)'`;
