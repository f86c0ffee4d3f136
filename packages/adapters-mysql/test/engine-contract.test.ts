import { type EngineHarness, engineContract } from '@plant-store/contracts-engines';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { completeServerOptions } from '@plant-store/store-kit';
import { sqlEngine } from '@plant-store/store-kit/sql';
import { losingProxy } from '@plant-store/testing';
import { onServer, runSql } from '@plant-store/testing/mysql';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { statementsOn } from '../src/statements.ts';
import { checkSession } from '../src/table.ts';
import { migratedDatabase, openTransaction } from './open-store.ts';

const harness: EngineHarness<NewPlant, AddResult> = {
  async prepare() {
    const url = await migratedDatabase();
    await runSql(url, 'alter table plants add constraint refuse check (id <> 666)');
    const proxy = await losingProxy(url, onTestFinished);
    const options = completeServerOptions({ connectionString: proxy.url, connectWithinMs: 10_000 });
    const holding = async (statement: string) => (await openTransaction(url, statement)).end;
    const item = (number: number, name: string) => ({ id: BigInt(number), name });
    return {
      Unavailable: StoreUnavailable,
      async open() {
        const { sessions } = openDatabase(options, { check: (session) => checkSession(session, 1_500) });
        return sqlEngine(sessions, statementsOn(), options);
      },
      item,
      async stored() {
        const rows = await runSql(url, 'select id, name from plants');
        return rows.map(({ id, name }) => ({ number: Number(id), text: String(name) }));
      },
      // The test run drops its databases at its end.
      dispose: async () => {},
      existing: (result) => (result.outcome === 'exists' ? result.plant.name : undefined),
      refused: item(666, 'refused'),
      lock: (number) => holding(`insert into plants (id, name) values (${number}, 'uncommitted')`),
      outages: {
        'the tables are locked': () => holding('lock tables plants write, plant_store_sync write'),
        async 'the engine of the table is not safe in a crash'() {
          await runSql(url, 'alter table plants engine = MyISAM');
          return async () => void (await runSql(url, 'alter table plants engine = InnoDB'));
        },
      },
      loseResponses: proxy.loseResponses,
    };
  },
};

await onServer(() => describeContract(engineContract, harness));
