import { migratePostgres, postgresMigrationStatus } from '@plant-store/adapters-postgres';
import { postgresOptions } from './connection-string.ts';
import type { CitusOptions } from './options.ts';

/** Does the same as {@link migratePostgres}. The coordinator applies the changes to the nodes. */
export const migrateCitus = async (options: CitusOptions) => migratePostgres(postgresOptions(options));

/** Does the same as {@link postgresMigrationStatus}. */
export const citusMigrationStatus = async (options: CitusOptions) => postgresMigrationStatus(postgresOptions(options));
