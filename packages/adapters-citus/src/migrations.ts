import { migratePostgres, postgresMigrationStatus } from '@plant-store/adapters-postgres';
import { postgresOptions } from './connection-string.ts';
import type { CitusOptions } from './options.ts';

/** As {@link migratePostgres}; the coordinator passes on what it changes. */
export const migrateCitus = async (options: CitusOptions) => migratePostgres(postgresOptions(options));

/** As {@link postgresMigrationStatus}. */
export const citusMigrationStatus = async (options: CitusOptions) => postgresMigrationStatus(postgresOptions(options));
