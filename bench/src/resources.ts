import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contestant } from './contestants/contestant.ts';
import { type Generator, startGenerator } from './load/generator.ts';
import { type PostgresServer, usePostgres } from './stores/postgres-server.ts';
import { newPostgresTable } from './stores/postgres-table.ts';
import { newSqliteTable } from './stores/sqlite-table.ts';
import type { Table } from './stores/table.ts';

/** Shared by the contestants of a run. */
export interface Resources {
  readonly generator: Generator;
  /** Has the SQLite files. */
  readonly directory: string;
  /** Started only if a contestant uses it. */
  readonly postgres: PostgresServer | undefined;
  newTable(engine: NonNullable<Contestant['engine']>): Promise<Table>;
  release(): Promise<void>;
}

export async function openResources(contestants: readonly Contestant[]): Promise<Resources> {
  const needsPostgres = contestants.some(({ engine }) => engine === 'postgres');
  const postgres = needsPostgres ? await usePostgres(process.env) : undefined;
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  process.once('exit', remove);
  const generator = startGenerator();
  return {
    generator,
    directory,
    postgres,
    newTable: (engine) => (engine === 'postgres' && postgres ? newPostgresTable(postgres) : newSqliteTable(directory)),
    async release() {
      generator.stop();
      remove();
      await postgres?.stop();
    },
  };
}
