import { type Clause, type Contract, ContractViolation, resolved, show } from '@plant-store/contracts-kit';
import type { MigrationStatus } from '@plant-store/store-kit';
import { expectSame, expectThrows } from '../expectations.ts';
import type { EmptyDatabase, MigrationHarness } from './migration-harness.ts';
import type { MigrationMutation } from './model-migrations.ts';

/** The contract of the migrations of a SQL database. */
export const migrationContract: Contract<MigrationHarness, MigrationMutation> = {
  name: 'migrations',
  clauses: [
    {
      id: 'MG-2',
      shows: 'P8',
      title: 'migrating applies every migration, once, in the order of their names; again, it changes nothing',
      check: onEmpty(async (database) => {
        const all = (await database.status()).map(applied);
        if (all.length === 0) throw new ContractViolation('asked for the status', 'no migration', 'every migration');
        for (const action of ['migrated an empty database', 'migrated it again']) {
          expectSame(action, all, await resolved(action, () => database.migrate(), 'it resolves'));
          expectSame(`${action}, then asked for the status`, all, await database.status());
          expectSame(`${action}, then read its records`, names(all), await recorded(database));
        }
        expectSame('migrated, then looked at the order', names(all).toSorted(), names(all));
        const tables = await database.tables();
        if (!tables.includes('plants')) throw new ContractViolation('migrated', show(tables), 'a table plants');
      }),
      mutants: {
        'shows applied migrations only': ({ states }) => ({ states: () => states().filter(({ applied }) => applied) }),
        'records each migration twice': ({ record }) => ({
          record(name) {
            record(name);
            record(name);
          },
        }),
        'applies migrations in the order of a directory': ({ names }) => ({ names: () => names().toReversed() }),
      },
    },
    {
      id: 'MG-3',
      shows: 'P8/F10',
      title: 'concurrent migrations of one empty database all succeed',
      check: onEmpty(async (database) => {
        const all = (await database.status()).map(applied);
        const action = 'migrated an empty database five times at once';
        const migrating = () => Promise.all(Array.from({ length: 5 }, () => database.migrate()));
        for (const each of await resolved(action, migrating, 'each resolves')) expectSame(action, all, each);
        expectSame(`${action}, then read its records`, names(all), await recorded(database));
      }),
      mutants: {
        'reads which migrations are missing before it acquires the lock': ({ states }, model) => ({
          async migrate() {
            const missing = states().filter(({ applied }) => !applied);
            await undefined;
            model.apply(missing);
            return states();
          },
        }),
      },
    },
    {
      id: 'MG-4',
      shows: 'P8/F10',
      title: 'a migration that is newer than the program is ignored',
      check: onEmpty(async (database) => {
        const all = await database.migrate();
        await database.run("insert into plant_store_migration values ('9999-of-the-future', '2999-01-01')");
        const action = 'migrated a database that has a migration of a newer program';
        expectSame(action, all, await resolved(action, () => database.migrate(), 'it resolves'));
      }),
      mutants: {
        'rejects a migration of a newer program': ({ migrate, rows }) => ({
          async migrate() {
            const all = await migrate();
            if (rows('select 1 from plant_store_migration').length > all.length) throw new Error('too new');
            return all;
          },
        }),
      },
    },
    {
      id: 'MG-5',
      shows: 'P8',
      title: 'a table `plants` of another application stays unchanged, and no migration counts as applied',
      check: onEmpty(async (database) => {
        await database.run('create table plants (of_another_application int)');
        const action = 'migrated a database that has a table plants of another application';
        const migrating = database.migrate().then(() => 'it resolved');
        if (await migrating.catch(() => undefined)) throw new ContractViolation(action, 'it resolved', 'an error');
        const status = await database.status();
        expectSame(`${action}, then asked for the status`, status.map(unapplied), status);
        const read = () => database.run('select of_another_application from plants');
        await resolved(`${action}, then read the table`, read, 'it is unchanged');
      }),
      mutants: {
        'drops an existing table': ({ apply, rows }) => ({
          apply(missing) {
            rows('drop table if exists plants');
            apply(missing);
          },
        }),
        'records a migration before it applies it': ({ apply, createTable, record }) => ({
          apply(missing) {
            createTable();
            for (const { name } of missing) record(name);
            apply(missing);
          },
        }),
      },
    },
    {
      id: 'MG-6',
      shows: 'P8/F11',
      title: 'migrating and asking for the status throw StoreUnavailable if the database cannot be reached',
      check: async ({ unreachable }) => {
        for (const call of ['migrate', 'status'] as const)
          await expectThrows(`called ${call}() of a database that cannot be reached`, () => unreachable[call]());
      },
      mutants: {
        'has an empty status if the database is unreachable': ({ unreachable }) => ({
          unreachable: () => ({ ...unreachable(), status: async () => [] }),
        }),
      },
    },
  ],
};

function onEmpty(use: (database: EmptyDatabase) => Promise<void>): Clause<MigrationHarness>['check'] {
  return async (harness) => use(await harness.prepare());
}

type State = MigrationStatus[number];
const applied = ({ name }: State): State => ({ name, applied: true });
const unapplied = ({ name }: State): State => ({ name, applied: false });
const names = (all: MigrationStatus) => all.map(({ name }) => name);

/** Reads the names of applied migrations from the table in which every adapter records them. */
async function recorded({ run }: EmptyDatabase): Promise<readonly unknown[]> {
  const rows = await run('select name from plant_store_migration order by name');
  return rows.map((row) => Object.values(row)[0]);
}
