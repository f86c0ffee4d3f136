import { setTimeout as sleep } from 'node:timers/promises';
import { isLocked } from '../errors.ts';

/**
 * Attempts again while another process holds the file's lock, until the deadline (on the clock of `performance.now`).
 *
 * SQLite would wait by itself (`busy_timeout`), but with the event loop blocked. So it does not wait at all, and the
 * waiting is done here. The pauses are about a commit long, since that is what another process holds the lock for, and
 * random, so that two processes do not go on missing their chance together. An attempt costs some 20 µs.
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
