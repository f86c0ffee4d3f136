import { resolve } from 'node:path';
import { type Clause, NotChecked } from '@plant-store/contracts-kit';
import { type Command, commonHelp, prepareCheck, printable, UsageError } from '@plant-store/contracts-kit/cli';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { clausesWithOutages } from '../clauses-that-need.ts';
import { storeContracts } from '../repository/contract.ts';
import type { StoreHarness } from '../store-harness.ts';
import { loadAdapter, type Store } from './load-adapter.ts';
import { assertUsable, attempt, Scratch } from './scratch.ts';

/** Checks the contracts of a store's ports in scratch databases beside the stored plants. Drops them, except after SIGKILL. */
export const verifyStore: Command<'url' | 'adapter' | 'adapters-from'> = {
  name: 'verify-store',
  help: `Usage: verify-store --url <url> [options]

Checks a store against the contracts of its ports, PlantRepository and PlantExport. First checks that the database at the
URL can store plants, without adding any. Then checks a scratch database beside it, including crashes and outages.

  --url <url>             URL of the store, such as sqlite:plants.db, or one that --adapter accepts
                          (default: DATABASE_URL, which keeps the password out of process lists)
  --adapter <module>      package or path of another adapter, which exports storageAdapter and storeHarness
  --adapters-from <dir>   where the adapter is installed (default: the working directory)
${commonHelp}`,
  options: ['url', 'adapter', 'adapters-from'],
  async check({ adapter, 'adapters-from': from = '.', ...values }, { DATABASE_URL = '' }, host) {
    const url = (values.url ?? DATABASE_URL).trim();
    // A line break would become part of the name of a file or database.
    if (!url || /[\r\n]/.test(url)) throw new UsageError('pass one URL: --url or DATABASE_URL');
    const { storageAdapter, storeHarness } = await loadAdapter(url, adapter, resolve(from));
    await using scratch = new Scratch();
    const make = async (changes?: { readonly timeoutMs: number }) =>
      scratch.of(await attempt('make the harness of the store', async () => storeHarness(url, changes)));
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
