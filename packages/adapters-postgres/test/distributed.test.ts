import { runSql } from '@plant-store/testing-postgres';
import { expect, test } from 'vitest';
import { openStore } from './open-store.ts';

test('a table that Citus distributes is refused, with what to use', async () => {
  const { store, url } = await openStore();
  await store.check();
  // What Citus puts on a table that it distributes.
  await runSql(
    url,
    `CREATE FUNCTION citus_truncate_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
     CREATE TRIGGER truncate_trigger AFTER TRUNCATE ON plants EXECUTE FUNCTION citus_truncate_trigger()`,
  );
  const fault = 'public.plants cannot keep plants: Citus distributes it: use a URL that begins with citus://';
  await expect(store.check()).rejects.toThrow(fault);
  await expect(openStore({ connectionString: url })).rejects.toThrow(fault);
});
