import { randomBytes } from 'node:crypto';
import { show } from '@plant-store/contracts-kit';
import type { ScratchPlace } from '@plant-store/contracts-stores';
import pg from 'pg';
import { runSql } from './run-sql.ts';

/** An empty database or schema in an operator's PostgreSQL server. */
export type ScratchDatabase = ScratchPlace<{ readonly connectionString: string }>;

/**
 * A new database, if the user may create and reach one; else a new schema in the given database.
 *
 * @throws {Error} with what is needed if neither is possible.
 */
export async function scratchDatabase(given: string): Promise<ScratchDatabase> {
  const name = newName();
  return (await ownDatabase(given, name)) ?? ownSchema(given, name);
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
  try {
    // Only template0 can be copied with any encoding, and while others are connected.
    await runSql(given, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
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

/** The same connection string for another database. The rest stays as it is written: pg decodes a URL in one of two ways. */
export function inDatabase(text: string, name: string): string {
  const [, before = '', , query = ''] = parts.exec(text) ?? [];
  return `${before}/${name}${query}`;
}

/** The same connection string with one schema of the database as its search path. */
export function inSchema(text: string, name: string): string {
  const [, before = '', path = '', query = ''] = parts.exec(text) ?? [];
  const pairs = query.slice(1).split('&');
  const options = new URLSearchParams(query).get('options') ?? process.env['PGOPTIONS'] ?? '';
  // An equals sign stays: in one of its two ways pg would not decode it.
  const added = encodeURIComponent(`${options} -c search_path=${name}`.trimStart()).replaceAll('%3D', '=');
  return `${before}${path || '/'}?${[...pairs.filter((pair) => !pair.startsWith('options=')), `options=${added}`].join('&')}`;
}

/** What comes before the path, the path, and the query. */
const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^@/?#]*)([^?]*)(\?.*)?/s;
