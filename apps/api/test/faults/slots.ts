import { setTimeout as sleep } from 'node:timers/promises';
import { runSql } from '@plant-store/testing-postgres';
import type { DedicatedStore } from './dedicated-store.ts';

/** Sessions that leave the server without a slot for an ordinary user. */
export interface Slots {
  /** Takes every slot, those of the service as well. */
  take(): Promise<void>;
  free(): Promise<void>;
}

/** Only the superuser's own slots stay. */
export function takeEverySlot({ server, url }: DedicatedStore): Slots {
  const sessions = new Set<Promise<unknown>>();

  /** Resolves when a session was refused: there is no slot left. */
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
      // The service's own are free now, for whoever is faster.
      while ((await servicesOwn(server.url)) > 0) {
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

async function servicesOwn(url: string): Promise<number> {
  const [row] = await runSql(url, `SELECT count(*) ${OF_THE_SERVICE}`);
  return Number(row?.['count']);
}

const OF_THE_SERVICE = `FROM pg_stat_activity WHERE usename = 'gardener' AND query NOT LIKE '%pg_sleep(600)'`;
