import type { Tables } from '@plant-store/sql-store';

/** The tables, as Kysely needs to know them. The files in `migrations/` create them. */
export type Schema = Tables;
