import { completeServerOptions } from '@plant-store/store-kit';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { migratedDatabase } from './open-store.ts';

test('a statement is prepared once per connection, and again if the table has changed; with prepare=false never', async () => {
  for (const prepare of [true, false]) {
    const url = await migratedDatabase();
    const connectionString = `${url}${url.includes('?') ? '&' : '?'}prepare=${prepare}`;
    const { db, sessions } = openDatabase(completeServerOptions({ poolSize: 1, connectionString }));
    onTestFinished(() => sessions.end());
    const read = () => db.selectFrom('plants').select('name').where('id', '=', 1n).execute();
    for (let round = 1; round <= 3; round += 1) await read();
    const prepared = await sql`SELECT FROM pg_prepared_statements`.execute(db);
    expect(prepared.rows).toHaveLength(prepare ? 1 : 0);
    await sql`ALTER TABLE plants ALTER name TYPE varchar(100)`.execute(db);
    // The connection with the outdated statement is closed.
    if (prepare) await expect(read()).rejects.toThrow('cached plan must not change result type');
    expect(await read()).toEqual([]);
  }
});
