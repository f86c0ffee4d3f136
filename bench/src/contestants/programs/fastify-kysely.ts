import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { serveOn } from './insert-per-request.ts';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] ?? '', max: 10 });
await serveOn(new PostgresDialect({ pool }));
