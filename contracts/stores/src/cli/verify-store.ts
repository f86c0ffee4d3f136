import { resolve } from 'node:path';
import { CLAUSE_TIMEOUT_MS, type Clause, NotChecked, within } from '@plant-store/contracts-kit';
import {
  type Command,
  cleanupOnExit,
  commonHelp,
  errorMessage,
  prepareCheck,
  printable,
  selectClauses,
  UsageError,
} from '@plant-store/contracts-kit/cli';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import type { StorageAdapter, StoreAt } from '@plant-store/store-kit';
import { plantRepositoryContract } from '../repository/contract.ts';
import { storeContracts } from '../store-contracts.ts';
import type { StoreHarness } from '../store-harness.ts';
import { assertUsable, attempt, tools } from './assert-usable.ts';
import { loadAdapter } from './load-adapter.ts';

const options = {
  url: { type: 'string' },
  adapter: { type: 'string' },
  'adapters-from': { type: 'string' },
} as const;

/** Checks the contracts of a store's ports in scratch databases beside the stored plants. Drops them, except after SIGKILL. */
export const verifyStore: Command<typeof options> = {
  name: 'verify-store',
  manifest: new URL('../../package.json', import.meta.url),
  help: `Usage: verify-store --url <url> [options]

Checks a store against the contracts of its ports, PlantRepository and PlantExport. First checks that the database at the
URL can store plants, without adding any. Then checks a scratch database beside it, including crashes and outages.

  --url <url>             URL of the store, such as sqlite:plants.db, or one that --adapter accepts
                          (default: DATABASE_URL, which keeps the password out of process lists)
  --adapter <module>      package or path of another adapter, which exports storageAdapter and storeHarness
                          (default: STORAGE_ADAPTER)
  --adapters-from <dir>   where @plant-store/adapters-<scheme> is installed (default: the working directory)
${commonHelp}`,
  options,
  async check(values, environment, host) {
    const say = (problem: string) => void host.stderr.write(`verify-store: ${printable(problem)}\n`);
    const url = (values.url ?? environment['DATABASE_URL'] ?? '').trim();
    // A line break would become part of the name of a file or database.
    if (!url || /[\r\n]/.test(url)) throw new UsageError('pass one URL: --url or DATABASE_URL');
    const { adapter: given, 'adapters-from': from } = values;
    const loading = loadAdapter(url, { adapter: given, from: resolve(from ?? '.') }, environment);
    const { storageAdapter, storeHarness, adapter } = await loading;
    warnOfPlaintext(storageAdapter, url, say);
    const first = databaseClause(storageAdapter.at(url, { onError: () => {} }));
    const ports = storeContracts.flatMap(({ clauses }) => clauses);
    const whole = { ...plantRepositoryContract, name: 'PlantStore', clauses: [first, ...ports] };
    const contract = selectClauses<StoreHarness>(whole, values);
    const subject = withoutSecrets(url);
    // Without its user or its parameters, a URL would open another store, or none.
    const repeat = subject === url ? { options: { url, adapter } } : { options: { adapter }, secret: 'DATABASE_URL' };
    const check = await prepareCheck(contract, { ...values, suite: verifyStore, subject, repeat }, host);
    const harness = await attempt('make the harness of the store', async () => storeHarness(url));
    return cleanupOnExit(
      // The clean-up waits for it, also after its clause has timed out.
      () => within(CLAUSE_TIMEOUT_MS, tools, 'called prepare()', harness.prepare()),
      say,
      async (prepare) => {
        await assertUsable({ ...harness, prepare });
        if (harness.scratchLocation) say(`works in ${harness.scratchLocation}, and removes it afterwards`);
        return check({ ...harness, prepare });
      },
    );
  },
};

/**
 * Warns if the password in the URL would be sent in plaintext.
 * @throws {UsageError} if a parameter of the URL is wrong.
 */
function warnOfPlaintext({ tlsAdvice }: StorageAdapter, url: string, say: (warning: string) => void): void {
  try {
    const advice = tlsAdvice?.(url);
    if (advice) say(`the connection is not encrypted, so its password can be read on the way: add ${advice}`);
  } catch (error) {
    throw new UsageError(`--url or DATABASE_URL: ${errorMessage(error)}`, { cause: error });
  }
}

/** Returns the scheme, host and path of a URL. */
function withoutSecrets(url: string): string {
  const { protocol, host, pathname } = URL.parse(url) ?? { protocol: url.replace(/:.*/s, ':'), host: '', pathname: '' };
  return `${protocol}${host && '//'}${host}${pathname}`;
}

/** Checks the database at the URL itself, to which no other clause adds anything. */
const databaseClause = (store: StoreAt): Clause<unknown> => ({
  id: 'PLACE',
  title: 'the database at the URL can store plants',
  async check() {
    try {
      // Opening a missing file would create it.
      if (store.files && (await store.status()).some(({ applied }) => !applied))
        throw new StoreUnavailable('it does not exist, or is not migrated');
      const opened = await store.open();
      await opened.check().finally(() => opened.close());
    } catch (error) {
      if (!StoreMisconfigured.is(error) && StoreUnavailable.is(error)) throw new NotChecked(error.message);
      throw error;
    }
  },
});
