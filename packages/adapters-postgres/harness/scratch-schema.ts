import { randomBytes } from 'node:crypto';
import { show } from '@plant-store/contracts-kit';
import type { ScratchDatabase } from '@plant-store/contracts-stores';
import pg from 'pg';
import { runSql } from './run-sql.ts';

/** Creates an empty schema in the given database. @throws {Error} with what to do if that is not possible. */
export async function scratchSchema(given: string): Promise<ScratchDatabase<{ readonly connectionString: string }>> {
  const name = `plant_store_verify_${randomBytes(6).toString('hex')}`;
  const statement = `DROP SCHEMA IF EXISTS ${name} CASCADE`;
  const drop = async () => {
    await runSql(given, statement).catch((error: unknown) => {
      throw new Error(`"${statement}" failed (${show(error)}): run it yourself`, { cause: error });
    });
  };
  try {
    await runSql(given, `CREATE SCHEMA ${name}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE)) throw error;
    throw new Error(
      'the user may not create a scratch schema: GRANT CREATE ON DATABASE … TO it, or give the URL of a user who may',
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

/** Checks the schema, because a pooler that drops the setting would lead to the operator's own plants. */
async function assertInSchema(url: string, name: string): Promise<void> {
  const needs = 'a scratch schema needs search_path as a start-up option, which';
  const instead = 'give the URL of the server itself';
  const [row] = await runSql(url, 'SELECT current_schema() AS name').catch((error: unknown) => {
    throw new Error(`${needs} is refused (${show(error)}): ${instead}`, { cause: error });
  });
  if (row?.['name'] !== name) throw new Error(`${needs} has no effect there: ${instead}`);
}

/** The SQLSTATE of a missing privilege. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** Returns the connection string with one schema as its search path. */
function inSchema(text: string, name: string): string {
  const [, before = '', path = '', query = ''] = parts.exec(text) ?? [];
  const pairs = query.slice(1).split('&');
  const options = new URLSearchParams(query).get('options') ?? process.env['PGOPTIONS'] ?? '';
  const added = encodeURIComponent(`${options} -c search_path=${name}`.trimStart());
  return `${before}${path || '/'}?${[...pairs.filter((pair) => !pair.startsWith('options=')), `options=${added}`].join('&')}`;
}

/** The parts before the path, the path, and the query. */
const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^@/?#]*)([^?]*)(\?.*)?/s;
