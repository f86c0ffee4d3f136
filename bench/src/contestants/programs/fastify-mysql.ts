import { MysqlDialect } from 'kysely';
import { createPool } from 'mysql2';
import { serveOn } from './insert-per-request.ts';

const pool = createPool({ uri: process.env['DATABASE_URL'] ?? '', connectionLimit: 10 });
await serveOn(new MysqlDialect({ pool }));
