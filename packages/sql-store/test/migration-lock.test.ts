import { StoreUnavailable } from '@plant-store/domain';
import { acquireMigrationLock } from '@plant-store/sql-store';
import { expect, onTestFinished, test, vi } from 'vitest';

/** A lock that is free at the last of so many attempts. */
function lockFreeAt(attempts: number) {
  let attempt = 0;
  return {
    tryAcquire: async () => {
      attempt += 1;
      return attempt === attempts;
    },
    holder: async () => 'held by session 7',
    endSessionWith: 'KILL',
  };
}

function frozenClock() {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  return clock;
}

test('a short wait is silent', async () => {
  frozenClock();
  const onWarning = vi.fn<(message: string) => void>();
  await acquireMigrationLock(lockFreeAt(3), { migrationLockTimeoutMs: 1_000, onWarning });
  expect(onWarning).not.toHaveBeenCalled();
});

test('a longer wait is reported once, with the holder', async () => {
  frozenClock().mockReturnValueOnce(0).mockReturnValue(1_000);
  const onWarning = vi.fn<(message: string) => void>();
  await acquireMigrationLock(lockFreeAt(3), { migrationLockTimeoutMs: 1_001, onWarning });
  expect(onWarning.mock.calls).toEqual([['waiting for the migration lock, up to 1001 ms: held by session 7']]);
});

test('a lock that is not free in time is StoreUnavailable, and says what to do', async () => {
  frozenClock().mockReturnValueOnce(0).mockReturnValue(1_000);
  await expect(
    acquireMigrationLock(lockFreeAt(3), { migrationLockTimeoutMs: 1_000, onWarning: () => {} }),
  ).rejects.toThrow(
    new StoreUnavailable(
      'the migration lock was not free within 1000 ms: held by session 7. Wait for it if it is migrating, otherwise end it with KILL',
    ),
  );
});
