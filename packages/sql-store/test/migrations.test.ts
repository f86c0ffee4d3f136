import { StoreUnavailable } from '@plant-store/domain';
import type { MigrationState, Tables } from '@plant-store/sql-store';
import { completeServerOptions } from '@plant-store/sql-store';
import { serverMigrations } from '@plant-store/sql-store/migrations';
import type { Kysely } from 'kysely';
import { expect, test, vi } from 'vitest';

const options = completeServerOptions({ connectionString: 'sql://db/plants' });
const db = { destroy: async () => {} } as Kysely<Tables>;
const found = (applied: boolean): readonly MigrationState[] => [
  { name: '0001', applied: true },
  { name: '0002', applied },
];

/** A server whose migrations are found in these states, one after the other. */
function server(...states: readonly boolean[]) {
  const left = [...states];
  const migrations = {
    states: vi.fn(async () => found(left.shift() ?? expect.fail('asked once more'))),
    apply: vi.fn<() => Promise<void>>(async () => {}),
  };
  const open = vi.fn((_: typeof options) => db);
  const applyAlone = vi.fn((on: typeof db, _: unknown, apply: (on: typeof db) => Promise<void>) => apply(on));
  const translateError = (error: unknown) => new StoreUnavailable(String(error), { cause: error });
  return { migrations, open, applyAlone, ...serverMigrations({ migrations, open, translateError, applyAlone }) };
}

test('where nothing is missing, nothing is begun', async () => {
  const { migrate, applyAlone, open } = server(true);
  expect(await migrate(options)).toEqual(found(true));
  expect(applyAlone).not.toHaveBeenCalled();
  expect(open).toHaveBeenCalledTimes(1);
});

test('what is missing is applied by itself and without a time limit, which the status has', async () => {
  const { migrate, migrations, applyAlone, open } = server(false, true);
  expect(await migrate(options)).toEqual(found(true));
  expect(migrations.apply).toHaveBeenCalledExactlyOnceWith(db);
  expect(applyAlone).toHaveBeenCalledTimes(1);
  expect(open.mock.calls.map(([{ dropAfterMs }]) => dropAfterMs)).toEqual([options.dropAfterMs, 0]);
});

test('a migration that fails throws, unless another node of a cluster has made it meanwhile', async () => {
  const failure = new Error('the table exists');
  const failing = server(false, false);
  failing.migrations.apply.mockRejectedValue(failure);
  await expect(failing.migrate(options)).rejects.toThrow(new StoreUnavailable(String(failure)));
  const made = server(false, true);
  made.migrations.apply.mockRejectedValue(failure);
  expect(await made.migrate(options)).toEqual(found(true));
});
