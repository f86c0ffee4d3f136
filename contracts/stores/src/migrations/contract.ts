import { type Clause, type Contract, ContractViolation, resolved, show } from '@plant-store/contracts-kit';
import type { MigrationStatus, StoreAt } from '@plant-store/store-kit';
import { expectSame, expectThrows } from '../expectations.ts';
import { migrationRevisions } from '../revisions.ts';

/** What the author of a storage adapter of a SQL database supplies to have its migrations checked. */
export interface MigrationHarness {
  /** A new database without tables. */
  prepare(): Promise<EmptyDatabase>;
  /** One that cannot be reached. */
  readonly unreachable: Migrated;
}

/** The migrations of an adapter at one place. */
export type Migrated = Pick<StoreAt, 'migrate' | 'status'>;

/** A database without tables. */
export interface EmptyDatabase extends Migrated {
  /** The names of its tables. */
  tables(): Promise<readonly string[]>;
  /** Runs a statement of SQL and resolves with its rows. */
  run(statement: string): Promise<readonly object[]>;
}

/** What the migrations of every adapter of a SQL database promise. */
export const migrationContract: Contract<MigrationHarness> = {
  name: 'migrations',
  revisions: migrationRevisions,
  clauses: [
    {
      id: 'MG-1',
      title: 'the status of an empty database is that nothing is applied, and creates nothing',
      check: onEmpty(async (database) => {
        const action = 'asked an empty database for the status of its migrations';
        const status = await resolved(action, () => database.status(), 'it resolves');
        if (status.length === 0) throw new ContractViolation(action, 'no migration', 'every migration');
        expectSame(action, status.map(unapplied), status);
        expectSame(`${action}, then looked for tables`, [], await database.tables());
      }),
    },
    {
      id: 'MG-2',
      title: 'migrating applies every migration, once, in the order of their names; again, it changes nothing',
      check: onEmpty(async (database) => {
        const all = (await database.status()).map(applied);
        for (const action of ['migrated an empty database', 'migrated it again']) {
          expectSame(action, all, await resolved(action, () => database.migrate(), 'it resolves'));
          expectSame(`${action}, then asked for the status`, all, await database.status());
          expectSame(`${action}, then looked at what it noted`, names(all), await noted(database));
        }
        expectSame('migrated, then looked at the order', names(all).toSorted(), names(all));
        const tables = await database.tables();
        if (!tables.includes('plants')) throw new ContractViolation('migrated', show(tables), 'a table plants');
      }),
    },
    {
      id: 'MG-3',
      title: 'of several that migrate one empty database at once, all succeed',
      check: onEmpty(async (database) => {
        const all = (await database.status()).map(applied);
        const action = 'migrated an empty database five times at once';
        const migrating = () => Promise.all(Array.from({ length: 5 }, () => database.migrate()));
        for (const each of await resolved(action, migrating, 'each resolves')) expectSame(action, all, each);
        expectSame(`${action}, then looked at what is noted`, names(all), await noted(database));
      }),
    },
    {
      id: 'MG-4',
      title: 'a migration that is newer than the program is left alone',
      check: onEmpty(async (database) => {
        const all = await database.migrate();
        await database.run("insert into plant_store_migration values ('9999-of-the-future', '2999-01-01')");
        const action = 'migrated a database that a newer program has migrated further';
        expectSame(action, all, await resolved(action, () => database.migrate(), 'it resolves'));
      }),
    },
    {
      id: 'MG-5',
      title: 'a table plants of another application stays as it is, and nothing counts as applied',
      check: onEmpty(async (database) => {
        await database.run('create table plants (of_another_application int)');
        const action = 'migrated a database that has a table plants of another application';
        const migrating = database.migrate().then(() => 'it resolved');
        if (await migrating.catch(() => undefined)) throw new ContractViolation(action, 'it resolved', 'an error');
        const status = await database.status();
        expectSame(`${action}, then asked for the status`, status.map(unapplied), status);
        const read = () => database.run('select of_another_application from plants');
        await resolved(`${action}, then read the table`, read, 'it is as it was');
      }),
    },
    {
      id: 'MG-6',
      title: 'migrating, and its status, throw StoreUnavailable if the database cannot be reached',
      check: async ({ unreachable }) => {
        for (const call of ['migrate', 'status'] as const)
          await expectThrows(`called ${call}() of a database that cannot be reached`, () => unreachable[call]());
      },
    },
  ],
};

function onEmpty(use: (database: EmptyDatabase) => Promise<void>): Clause<MigrationHarness>['check'] {
  return async (harness) => use(await harness.prepare());
}

type One = MigrationStatus[number];
const applied = ({ name }: One): One => ({ name, applied: true });
const unapplied = ({ name }: One): One => ({ name, applied: false });
const names = (all: MigrationStatus) => all.map(({ name }) => name);

/** The names in the table that every adapter notes them in. */
async function noted({ run }: EmptyDatabase): Promise<readonly unknown[]> {
  const rows = await run('select name from plant_store_migration order by name');
  return rows.map((row) => Object.values(row)[0]);
}
