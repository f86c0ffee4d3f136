import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contestant } from './contestants/contestant.ts';
import { type Generator, startGenerator } from './load/generator.ts';
import type { DatabaseServer } from './stores/database-server.ts';
import { useMysql } from './stores/mysql-server.ts';
import { newMysqlTable } from './stores/mysql-table.ts';
import { usePostgres } from './stores/postgres-server.ts';
import { newPostgresTable } from './stores/postgres-table.ts';
import { newSqliteTable } from './stores/sqlite-table.ts';
import type { Table } from './stores/table.ts';

/** Shared by the contestants of a run. */
export interface Resources {
  readonly generator: Generator;
  /** Has the SQLite files. */
  readonly directory: string;
  /** Those that a contestant uses; for the report. */
  readonly servers: readonly DatabaseServer[];
  newTable(engine: NonNullable<Contestant['engine']>): Promise<Table>;
  release(): Promise<void>;
}

export async function openResources(contestants: readonly Contestant[]): Promise<Resources> {
  const uses = (name: Contestant['engine']) => contestants.some(({ engine }) => engine === name);
  const postgres = uses('postgres') ? await usePostgres(process.env) : undefined;
  const mysql = uses('mysql') ? await useMysql(process.env) : undefined;
  const servers = [postgres, mysql].filter((server) => server !== undefined);
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  process.once('exit', remove);
  const generator = startGenerator();
  return {
    generator,
    directory,
    servers,
    newTable(engine) {
      if (engine === 'postgres' && postgres) return newPostgresTable(postgres);
      if (engine === 'mysql' && mysql) return newMysqlTable(mysql);
      return newSqliteTable(directory);
    },
    async release() {
      generator.stop();
      remove();
      for (const server of servers) await server.stop();
    },
  };
}
