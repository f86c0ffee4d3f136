import { setTimeout as sleep } from 'node:timers/promises';
import { isLocked } from '../errors.ts';

/**
 * Retries while another process holds the file's lock, until the deadline (by `performance.now()`).
 *
 * SQLite could wait by itself (`busy_timeout`), but nothing else would run in the process meanwhile, and its pauses grow
 * to 100 ms. These are about as long as a commit, since that is for how long another process holds the lock, and
 * random, so that two processes do not stay in step. An attempt costs some 20 µs.
 *
 * @throws SQLite's own error, `SQLITE_BUSY`, when the deadline would pass before another attempt.
 */
export async function untilUnlocked<T>(deadline: number, attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const pause = 1 + Math.random() * 4;
      if (!isLocked(error) || performance.now() + pause > deadline) throw error;
      await sleep(pause);
    }
  }
}
