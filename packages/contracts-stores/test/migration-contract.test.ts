import { DatabaseSync } from 'node:sqlite';
import { describeMutants } from '@plant-store/contracts-kit/vitest';
import { StoreUnavailable } from '@plant-store/domain';
import { type EmptyDatabase, type Migrated, migrationContract } from '../src/index.ts';

const fails = () => Promise.reject(new StoreUnavailable('nobody listens'));

/** Migrates a database of SQLite in memory: no other can come between its statements. */
class Model implements EmptyDatabase {
  static unreachable: Migrated = { migrate: fails, status: fails };
  readonly #database = new DatabaseSync(':memory:');
  readonly names: readonly string[] = ['0001-create-plants', '0002-create-beds'];

  readonly run = async (statement: string) => this.rows(statement);
  readonly tables = async () => this.rows('select name from sqlite_schema order by name').map(({ name }) => `${name}`);
  readonly status = async () => this.states();

  async migrate() {
    this.apply(this.states().filter(({ applied }) => !applied));
    return this.states();
  }

  apply(missing: readonly { readonly name: string }[]): void {
    if (missing.length > 0) this.makeTable();
    for (const { name } of missing) {
      this.rows(`create table ${name.split('-').at(-1)} (id int)`);
      this.note(name);
    }
  }

  makeTable(): void {
    this.rows('create table if not exists plant_store_migration (name text, at text)');
  }

  note(name: string): void {
    this.rows(`insert into plant_store_migration values ('${name}', '')`);
  }

  states() {
    const isThere = this.rows("select 1 from sqlite_schema where name = 'plant_store_migration'").length > 0;
    const noted = isThere ? this.rows('select name from plant_store_migration').map(({ name }) => name) : [];
    return this.names.map((name) => ({ name, applied: noted.includes(name) }));
  }

  rows(statement: string) {
    return this.#database.prepare(statement).all();
  }
}

describeMutants(migrationContract, {
  correct: [['migrates SQLite', Model]],
  mutants: [
    [
      'MG-1',
      'makes a table when it is asked for the status',
      class extends Model {
        override states() {
          this.makeTable();
          return super.states();
        }
      },
    ],
    [
      'MG-1',
      'shows what is applied alone',
      class extends Model {
        override states = () => super.states().filter(({ applied }) => applied);
      },
    ],
    [
      'MG-2',
      'notes what it has applied twice',
      class extends Model {
        override note(name: string) {
          super.note(name);
          super.note(name);
        }
      },
    ],
    [
      'MG-2',
      'takes the order of a directory',
      class extends Model {
        override names = ['0002-create-beds', '0001-create-plants'];
      },
    ],
    [
      'MG-3',
      'looks what is missing before it waits for its turn',
      class extends Model {
        override async migrate() {
          const missing = this.states().filter(({ applied }) => !applied);
          await undefined;
          this.apply(missing);
          return this.states();
        }
      },
    ],
    [
      'MG-4',
      'refuses what a newer program has applied',
      class extends Model {
        override async migrate() {
          const all = await super.migrate();
          if (this.rows('select 1 from plant_store_migration').length > all.length) throw new Error('too new');
          return all;
        }
      },
    ],
    [
      'MG-5',
      'drops a table that is in its way',
      class extends Model {
        override apply(missing: readonly { readonly name: string }[]) {
          this.rows('drop table if exists plants');
          super.apply(missing);
        }
      },
    ],
    [
      'MG-5',
      'notes a migration before it applies it',
      class extends Model {
        override apply(missing: readonly { readonly name: string }[]) {
          this.makeTable();
          for (const { name } of missing) this.note(name);
          super.apply(missing);
        }
      },
    ],
    [
      'MG-6',
      'has an empty status where nobody listens',
      class extends Model {
        static override unreachable = { migrate: fails, status: async () => [] };
      },
    ],
  ],
  harness: (Database: typeof Model) => ({ prepare: async () => new Database(), unreachable: Database.unreachable }),
});
