import { type EngineHarness, engineContract } from '@plant-store/contracts-engines';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { completeServerOptions } from '@plant-store/store-kit';
import { sqlEngine } from '@plant-store/store-kit/sql';
import { losingProxy } from '@plant-store/testing';
import { openTransaction, runSql } from '@plant-store/testing/postgres';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { statementsOn } from '../src/statements.ts';
import { PlantTable } from '../src/table.ts';
import { migratedDatabase } from './open-store.ts';

const harness: EngineHarness<NewPlant, AddResult> = {
  async prepare() {
    const url = await migratedDatabase();
    await runSql(url, 'ALTER TABLE plants ADD CHECK (id <> 666)');
    const proxy = await losingProxy(url, onTestFinished);
    const options = completeServerOptions({ connectionString: proxy.url, connectWithinMs: 10_000 });
    const holding = async (statement: string) => (await openTransaction(url, statement)).end;
    const item = (number: number, name: string) => ({ id: BigInt(number), name });
    return {
      Unavailable: StoreUnavailable,
      async open() {
        const table = new PlantTable();
        const { db, sessions } = openDatabase(options, {
          check: async (session) => void (await table.check(session, 1_500)),
        });
        return sqlEngine(sessions, statementsOn(db, table), options);
      },
      item,
      async stored() {
        const rows = await runSql(url, 'SELECT id, name FROM plants');
        return rows.map(({ id, name }) => ({ number: Number(id), text: String(name) }));
      },
      // The test run drops its databases at its end.
      dispose: async () => {},
      existing: (result) => (result.outcome === 'exists' ? result.plant.name : undefined),
      refused: item(666, 'refused'),
      lock: (number) => holding(`INSERT INTO plants VALUES (${number}, 'uncommitted')`),
      outages: {
        'the table is locked': () => holding('LOCK TABLE plants'),
        async 'the table is not logged'() {
          await runSql(url, 'ALTER TABLE plants SET UNLOGGED');
          return async () => void (await runSql(url, 'ALTER TABLE plants SET LOGGED'));
        },
      },
      loseResponses: proxy.loseResponses,
    };
  },
};

describeContract(engineContract, harness);
