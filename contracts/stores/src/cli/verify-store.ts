import { resolve } from 'node:path';
import { type Clause, ContractViolation, NotChecked } from '@plant-store/contracts-kit';
import {
  type Command,
  commandTime,
  commonHelp,
  errorMessage,
  prepareCheck,
  printable,
  SetupError,
  UsageError,
} from '@plant-store/contracts-kit/cli';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { clausesWithOutages } from '../clauses-that-need.ts';
import { closeQuietly, Fixture } from '../fixture.ts';
import { storeContracts } from '../repository/contract.ts';
import { plainPlant } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';
import { loadAdapter, type Store } from './load-adapter.ts';

/** Checks the contracts of a store's ports in scratch databases beside the stored plants, and drops each after its clause. */
export const verifyStore: Command<'url' | 'adapter' | 'adapters-from'> = {
  name: 'verify-store',
  help: `Usage: verify-store --url <url> [options]

Checks a store against the contracts of its ports, PlantRepository and PlantExport. First checks that the database at the
URL can store plants, without adding any. Then checks scratch databases beside it, including crashes and outages. Each is
dropped after its clause, unless the run is interrupted.

  --url <url>             URL of the store, such as sqlite:plants.db, or one that --adapter accepts
                          (default: DATABASE_URL, which keeps the password out of process lists)
  --adapter <module>      package or path of another adapter, which exports storageAdapter and storeHarness
  --adapters-from <dir>   where the adapter is installed (default: the working directory)
${commonHelp}`,
  options: ['url', 'adapter', 'adapters-from'],
  async check({ adapter, 'adapters-from': from = '.', ...values }, { DATABASE_URL = '' }, host) {
    const url = (values.url ?? DATABASE_URL).trim();
    if (!url) throw new UsageError('pass one URL: --url or DATABASE_URL');
    const { storageAdapter, storeHarness } = await loadAdapter(url, adapter, resolve(from));
    const make = (changes?: { readonly timeoutMs: number }) =>
      attempt('make the harness of the store', async () => storeHarness(url, changes));
    const harness = await make();
    const patient = await make({ timeoutMs: PATIENT_MS });
    const waits = clausesWithOutages(harness);
    const inScratch = storeContracts
      .flatMap(({ clauses }) => clauses)
      .map((clause): Clause<StoreHarness> => {
        // A clause that waits for no time-out has time on a busy machine.
        return { ...clause, check: (_, tools) => clause.check(waits(clause) ? harness : patient, tools) };
      });
    const clauses = [databaseClause(storageAdapter.at(url, { onError: () => {} })), ...inScratch];
    const contract = { name: 'PlantStore', documentation: 'docs/storage-adapters.md', clauses };
    const check = prepareCheck<StoreHarness>(contract, values, host);
    await assertUsable(patient);
    const { scratchLocation: location } = harness;
    if (location) host.stderr.write(`verify-store: works in ${printable(location)}, and removes it afterwards\n`);
    return await check(harness);
  },
};

/** The time-out of the stores of clauses that wait for none, in milliseconds. */
const PATIENT_MS = 10_000;

/** Checks the database at the URL itself, to which no other clause adds anything. */
const databaseClause = (store: Store): Clause<unknown> => ({
  id: 'PLACE',
  shows: 'P8/F11',
  title: 'the database at the URL can store plants',
  async check() {
    try {
      // Opening a missing file would create it. The status only reads.
      if ((await store.status()).some(({ applied }) => !applied))
        throw new StoreUnavailable('it does not exist, or is not migrated');
      const opened = await store.open();
      await opened.check().finally(() => opened.close());
    } catch (error) {
      if (!StoreMisconfigured.is(error) && StoreUnavailable.is(error)) throw new NotChecked(error.message);
      throw error;
    }
  },
});

/** Checks first what would make every clause fail. @throws {SetupError} if a scratch database cannot be prepared, opened or written. */
async function assertUsable(harness: StoreHarness): Promise<void> {
  const prepared = await attempt('prepare a scratch database', () => harness.prepare());
  const fixture = new Fixture(harness, prepared, commandTime);
  const store = await attempt('open a store on a scratch database', () => fixture.open());
  // The clauses say more of any other error.
  const adding = store.plants.add(plainPlant(1)).catch((error) => StoreUnavailable.is(error) && Promise.reject(error));
  await attempt('add a plant to a scratch database', () => adding);
  await closeQuietly(store);
  await attempt('drop a scratch database', () => prepared.dispose());
}

/** @throws {SetupError} if the call fails. */
function attempt<T>(what: string, call: () => Promise<T>): Promise<T> {
  return call().catch((cause: unknown) => {
    const reason = cause instanceof ContractViolation ? cause.actual : errorMessage(cause);
    throw new SetupError(`cannot ${what}: ${reason}`, { cause });
  });
}
