import { StoreUnavailable } from '@plant-store/domain';
import { acquireMigrationLock, type MigrationLock } from '@plant-store/store-kit/sql';
import { expect, onTestFinished, test, vi } from 'vitest';

/**
 * Takes a lock that is free at the third attempt, the others of which come when the clock says so.
 *
 * @param holder what the server says of it.
 */
async function acquire(migrationLockTimeoutMs: number, clock: readonly number[], holder: object | undefined) {
  const now = vi.spyOn(performance, 'now').mockReturnValue(clock.at(-1) ?? 0);
  for (const time of clock) now.mockReturnValueOnce(time);
  onTestFinished(() => now.mockRestore());
  const answering = (...answers: readonly unknown[]) => {
    const left = [...answers];
    return { execute: async () => ({ rows: [left.length > 1 ? left.shift() : left[0]] }) };
  };
  // MariaDB, MySQL and PostgreSQL have these for the outcomes.
  const take = answering({ taken: 0 }, { taken: '0' }, { taken: true });
  const lock = { take, holder: answering(holder), endSessionWith: 'KILL' } as unknown as MigrationLock;
  const onWarning = vi.fn<(message: string) => void>();
  await acquireMigrationLock({} as never, lock, { migrationLockTimeoutMs, onWarning });
  return onWarning.mock.calls;
}

test('a short wait is silent', async () => {
  expect(await acquire(1_000, [0, 999], { session: 'pid 7' })).toEqual([]);
});

test('a longer wait is reported once, with the holder as far as it is known, in plain ASCII', async () => {
  const holder = { session: 'pid 7', user: '\u202e\n"', application: null };
  expect(await acquire(1_001, [0, 1_000], holder)).toEqual([
    ['waiting for the migration lock, up to 1001 ms: held by pid 7, user "\\u202e\\n\\""'],
  ]);
});

test.each([
  [{ session: 'pid 7' }, 'held by pid 7'],
  [{ session: null, user: null }, 'its holder is unknown'],
  [undefined, 'its holder is unknown'],
])('a lock that is not free in time is StoreUnavailable, and says what to do: %o', async (holder, held) => {
  await expect(acquire(1_000, [0, 1_000], holder)).rejects.toThrow(
    new StoreUnavailable(
      `the migration lock was not free within 1000 ms: ${held}. Wait for it if it is migrating, otherwise end it with KILL`,
    ),
  );
});
