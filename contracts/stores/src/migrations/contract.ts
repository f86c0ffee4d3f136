import { type Clause, type Contract, ContractViolation, resolved, show } from '@plant-store/contracts-kit';
import type { MigrationStatus, StoreAt } from '@plant-store/store-kit';
import { expectSame, expectThrows } from '../expectations.ts';
import { migrationRevisions } from '../revisions.ts';

/** What the author of a storage adapter of a SQL database supplies to have its migrations checked. */
export interface MigrationHarness {
  /** Creates a database without tables. */
  prepare(): Promise<EmptyDatabase>;
  /** The migrations of a database that cannot be reached. */
  readonly unreachable: Migrations;
}

/** The migrations of an adapter in one database. */
export type Migrations = Pick<StoreAt, 'migrate' | 'status'>;

/** A database without tables. */
export interface EmptyDatabase extends Migrations {
  /** Resolves with the names of its tables. */
  tables(): Promise<readonly string[]>;
  /** Runs a statement of SQL and resolves with its rows. */
  run(statement: string): Promise<readonly object[]>;
}

/** The contract of the migrations of a SQL database. */
export const migrationContract: Contract<MigrationHarness> = {
  name: 'migrations',
  revisions: migrationRevisions,
  clauses: [
    {
      id: 'MG-1',
      title: 'asking for the status of an empty database shows that nothing is applied, and creates nothing',
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
          expectSame(`${action}, then read its records`, names(all), await recorded(database));
        }
        expectSame('migrated, then looked at the order', names(all).toSorted(), names(all));
        const tables = await database.tables();
        if (!tables.includes('plants')) throw new ContractViolation('migrated', show(tables), 'a table plants');
      }),
    },
    {
      id: 'MG-3',
      title: 'concurrent migrations of one empty database all succeed',
      check: onEmpty(async (database) => {
        const all = (await database.status()).map(applied);
        const action = 'migrated an empty database five times at once';
        const migrating = () => Promise.all(Array.from({ length: 5 }, () => database.migrate()));
        for (const each of await resolved(action, migrating, 'each resolves')) expectSame(action, all, each);
        expectSame(`${action}, then read its records`, names(all), await recorded(database));
      }),
    },
    {
      id: 'MG-4',
      title: 'a migration that is newer than the program is ignored',
      check: onEmpty(async (database) => {
        const all = await database.migrate();
        await database.run("insert into plant_store_migration values ('9999-of-the-future', '2999-01-01')");
        const action = 'migrated a database that has a migration of a newer program';
        expectSame(action, all, await resolved(action, () => database.migrate(), 'it resolves'));
      }),
    },
    {
      id: 'MG-5',
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
    },
    {
      id: 'MG-6',
      title: 'migrating and asking for the status throw StoreUnavailable if the database cannot be reached',
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

type State = MigrationStatus[number];
const applied = ({ name }: State): State => ({ name, applied: true });
const unapplied = ({ name }: State): State => ({ name, applied: false });
const names = (all: MigrationStatus) => all.map(({ name }) => name);

/** Reads the names of applied migrations from the table in which every adapter records them. */
async function recorded({ run }: EmptyDatabase): Promise<readonly unknown[]> {
  const rows = await run('select name from plant_store_migration order by name');
  return rows.map((row) => Object.values(row)[0]);
}
