import { randomBytes } from 'node:crypto';
import { show } from '@plant-store/contracts-kit';
import type { ScratchPlace } from '@plant-store/contracts-stores';
import { StoreUnavailable } from '@plant-store/domain';
import pg from 'pg';
import { runSql } from './run-sql.ts';

/** An empty database or schema in an operator's PostgreSQL server. */
export type ScratchDatabase = ScratchPlace<{ readonly connectionString: string }>;

/**
 * A new schema in the given database, whose settings are then those of the scratch place; else a new database with its encoding, if
 * the user may create and reach one.
 *
 * @throws {Error} with what is needed if neither is possible.
 */
export async function scratchDatabase(given: string): Promise<ScratchDatabase> {
  const name = newName();
  return ownSchema(given, name).catch(async (error: unknown) => {
    const database = error instanceof StoreUnavailable ? undefined : await ownDatabase(given, name);
    if (database) return database;
    throw error;
  });
}

/** A new schema in the given database. @throws {Error} with what is needed if that is not possible. */
export function scratchSchema(given: string): Promise<ScratchDatabase> {
  return ownSchema(given, newName());
}

function newName(): string {
  return `plant_store_verify_${randomBytes(6).toString('hex')}`;
}

async function ownDatabase(given: string, name: string): Promise<ScratchDatabase | undefined> {
  const drop = () => dropped(given, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  const [{ like } = {}] = await runSql(given, LIKE_GIVEN);
  try {
    await runSql(given, `CREATE DATABASE ${name} ${like}`);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE) return undefined;
    throw error;
  }
  const connectionString = inDatabase(given, name);
  try {
    await runSql(connectionString, 'SELECT 1');
    return { options: { connectionString }, drop };
  } catch {
    // A pooler in front may know only the given database.
    await drop();
    return undefined;
  }
}

/** Only template0 can be copied with any encoding, and while others are connected. */
const LIKE_GIVEN = `SELECT format('TEMPLATE template0 ENCODING %L LC_COLLATE %L LC_CTYPE %L',
  pg_encoding_to_char(encoding), datcollate, datctype) AS like FROM pg_database WHERE datname = current_database()`;

async function ownSchema(given: string, name: string): Promise<ScratchDatabase> {
  const drop = () => dropped(given, `DROP SCHEMA IF EXISTS ${name} CASCADE`);
  try {
    await runSql(given, `CREATE SCHEMA ${name}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE)) throw error;
    throw new Error(
      'the user may create neither a database nor a schema: ALTER ROLE … CREATEDB, or GRANT CREATE ON DATABASE … TO it, or give the URL of a user who may',
      { cause: error },
    );
  }
  const connectionString = inSchema(given, name);
  try {
    await assertInSchema(connectionString, name);
    return { options: { connectionString }, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** A pooler that silently drops the setting would lead to the operator's own schema, and its plants. */
async function assertInSchema(url: string, name: string): Promise<void> {
  const needed =
    'give the URL of the server itself, or of a user who may create databases that the pooler passes on (* under [databases])';
  const [row] = await runSql(url, 'SELECT current_schema() AS name').catch((error: unknown) => {
    throw new Error(
      `a scratch schema needs search_path as a start-up option, which is refused (${show(error)}): ${needed}`,
      {
        cause: error,
      },
    );
  });
  if (row?.['name'] === name) return;
  throw new Error(`a scratch schema needs search_path as a start-up option, which has no effect there: ${needed}`);
}

async function dropped(given: string, sql: string): Promise<void> {
  await runSql(given, sql).catch((error: unknown) => {
    throw new Error(`"${sql}" failed (${show(error)}): run it yourself`, { cause: error });
  });
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const INSUFFICIENT_PRIVILEGE = '42501';

/** The same connection string for another database. */
export function inDatabase(text: string, name: string): string {
  const [, before = '', , query = ''] = parts.exec(text) ?? [];
  return `${before}/${name}${query}`;
}

/** The same connection string with one schema of the database as its search path. */
function inSchema(text: string, name: string): string {
  const [, before = '', path = '', query = ''] = parts.exec(text) ?? [];
  const pairs = query.slice(1).split('&');
  const options = new URLSearchParams(query).get('options') ?? process.env['PGOPTIONS'] ?? '';
  const added = encodeURIComponent(`${options} -c search_path=${name}`.trimStart());
  return `${before}${path || '/'}?${[...pairs.filter((pair) => !pair.startsWith('options=')), `options=${added}`].join('&')}`;
}

/** What comes before the path, the path, and the query. */
const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^@/?#]*)([^?]*)(\?.*)?/s;
