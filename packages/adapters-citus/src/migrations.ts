import { migratePostgres, postgresMigrationStatus } from '@plant-store/adapters-postgres';
import type { MigrationState } from '@plant-store/sql-store';
import { type CitusOptions, postgresOptions } from './options.ts';

/** As {@link migratePostgres}; the coordinator passes on what it changes. */
export async function migrateCitus(options: CitusOptions): Promise<readonly MigrationState[]> {
  return migratePostgres(postgresOptions(options));
}

/** As {@link postgresMigrationStatus}. */
export async function citusMigrationStatus(options: CitusOptions): Promise<readonly MigrationState[]> {
  return postgresMigrationStatus(postgresOptions(options));
}
