import { DatabaseSync } from 'node:sqlite';
import { type Mutation, mutantTable, mutate } from '@plant-store/contracts-kit';
import { describeMutants } from '@plant-store/contracts-kit/vitest';
import { StoreUnavailable } from '@plant-store/domain';
import { type EmptyDatabase, type Migrations, migrationContract } from '../src/migrations/contract.ts';

const fails = () => Promise.reject(new StoreUnavailable('connection refused'));

/** Migrates a SQLite database in memory, to which no other connection has access. */
class Model implements EmptyDatabase {
  readonly #database = new DatabaseSync(':memory:');

  readonly run = async (statement: string) => this.rows(statement);
  readonly tables = async () => this.rows('select name from sqlite_schema order by name').map(({ name }) => `${name}`);
  readonly status = async () => this.states();

  names() {
    return ['0001-create-plants', '0002-create-beds'];
  }

  unreachable(): Migrations {
    return { migrate: fails, status: fails };
  }

  async migrate() {
    this.apply(this.states().filter(({ applied }) => !applied));
    return this.states();
  }

  apply(missing: readonly { readonly name: string }[]): void {
    if (missing.length > 0) this.createTable();
    for (const { name } of missing) {
      this.rows(`create table ${name.split('-').at(-1)} (id int)`);
      this.record(name);
    }
  }

  createTable(): void {
    this.rows('create table if not exists plant_store_migration (name text, at text)');
  }

  record(name: string): void {
    this.rows(`insert into plant_store_migration values ('${name}', '')`);
  }

  states() {
    const isThere = this.rows("select 1 from sqlite_schema where name = 'plant_store_migration'").length > 0;
    const recorded = isThere ? this.rows('select name from plant_store_migration').map(({ name }) => name) : [];
    return this.names().map((name) => ({ name, applied: recorded.includes(name) }));
  }

  rows(statement: string) {
    return this.#database.prepare(statement).all();
  }
}

const mutants = mutantTable<Mutation<Model>>({
  'MG-1': {
    'creates a table when it is asked for the status': ({ createTable, states }) => ({
      states() {
        createTable();
        return states();
      },
    }),
    'shows applied migrations only': ({ states }) => ({ states: () => states().filter(({ applied }) => applied) }),
  },
  'MG-2': {
    'records each migration twice': ({ record }) => ({
      record(name) {
        record(name);
        record(name);
      },
    }),
    'applies migrations in the order of a directory': ({ names }) => ({ names: () => names().toReversed() }),
  },
  'MG-3': {
    'reads which migrations are missing before it acquires the lock': ({ states }, model) => ({
      async migrate() {
        const missing = states().filter(({ applied }) => !applied);
        await undefined;
        model.apply(missing);
        return states();
      },
    }),
  },
  'MG-4': {
    'rejects a migration of a newer program': ({ migrate, rows }) => ({
      async migrate() {
        const all = await migrate();
        if (rows('select 1 from plant_store_migration').length > all.length) throw new Error('too new');
        return all;
      },
    }),
  },
  'MG-5': {
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
  'MG-6': {
    'has an empty status if the database is unreachable': ({ unreachable }) => ({
      unreachable: () => ({ ...unreachable(), status: async () => [] }),
    }),
  },
});

describeMutants(migrationContract, {
  correct: [['migrates SQLite', () => ({})]],
  mutants,
  harness: (mutation: Mutation<Model>) => ({
    prepare: async () => mutate(new Model(), mutation),
    unreachable: mutate(new Model(), mutation).unreachable(),
  }),
});
