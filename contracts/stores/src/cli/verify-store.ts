import { resolve } from 'node:path';
import { type Clause, type Contract, NotChecked } from '@plant-store/contracts-kit';
import {
  type Command,
  checkAndReport,
  cleanupOnExit,
  commonHelp,
  errorMessage,
  printable,
  selectClauses,
  UsageError,
} from '@plant-store/contracts-kit/cli';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import type { StorageAdapter, StoreAt } from '@plant-store/store-kit';
import { storeContracts } from '../store-contracts.ts';
import type { StoreHarness } from '../store-harness.ts';
import { loadAdapter, schemes } from './load-adapter.ts';

const options = {
  url: { type: 'string' },
  adapter: { type: 'string' },
  'adapters-from': { type: 'string' },
} as const;

/** Checks the contracts of a store's ports in scratch places beside the stored plants, and removes them, except after SIGKILL. */
export const verifyStore: Command<typeof options> = {
  name: 'verify-store',
  manifest: new URL('../../package.json', import.meta.url),
  help: `Usage: verify-store --url <url> [options]

Checks a store against the contracts of its ports, PlantRepository and PlantExport: first whether the place at the URL can
keep plants, to which nothing is added, then a scratch place beside it, crashes and outages included.

  --url <url>             URL of the store: ${schemes}
                          or one that --adapter takes (default: DATABASE_URL, which keeps its password out of process
                          lists)
  --adapter <module>      package or path of another adapter, which exports storageAdapter and storeHarness
                          (default: STORAGE_ADAPTER)
  --adapters-from <dir>   where @plant-store/adapters-… is installed (default: the working directory)
${commonHelp}`,
  options,
  async check({ 'adapters-from': from = '.', only, except, revision, ...values }, environment, host) {
    const say = (problem: string) => void host.stderr.write(`verify-store: ${printable(problem)}\n`);
    const url = (values.url ?? environment['DATABASE_URL'] ?? '').trim();
    // A line break would become a part of the name of a file, or of a database.
    if (!url || /[\r\n]/.test(url)) throw new UsageError('pass one URL: --url or DATABASE_URL');
    const { storageAdapter, storeHarness } = await loadAdapter(url, { ...values, from: resolve(from) }, environment);
    warnOfPlaintext(storageAdapter, url, say);
    const ports = storeContracts.map((each) => selectClauses(each, { revision }));
    const place = itself(storageAdapter.at(url, { onError: () => {} }));
    const contract = selectClauses(oneOf(ports, place), { only, except });
    const harness = await storeHarness(url);
    return cleanupOnExit(
      () => harness.prepare(),
      say,
      async (prepare) => {
        // Otherwise every clause would report the same failure.
        await prepare().then(
          (place) => place.dispose(),
          (cause: unknown) => {
            throw new UsageError(`cannot prepare a place to verify the store in: ${errorMessage(cause)}`, { cause });
          },
        );
        if (harness.scratchPlace) say(`works in ${harness.scratchPlace}, and removes it afterwards`);
        const reporting = { ...values, program: 'verify-store', subject: withoutSecrets(url) };
        return checkAndReport(contract, { ...harness, prepare }, reporting, host);
      },
    );
  },
};

/** @throws {UsageError} if the URL cannot be used. */
function warnOfPlaintext({ tlsAdvice }: StorageAdapter, url: string, say: (warning: string) => void): void {
  try {
    const advice = tlsAdvice?.(url);
    if (advice) say(`the connection is not encrypted, so its password can be read on the way: add ${advice}`);
  } catch (error) {
    throw new UsageError(`--url or DATABASE_URL: ${errorMessage(error)}`, { cause: error });
  }
}

/** The scheme, host and path of a URL. */
function withoutSecrets(url: string): string {
  const { protocol, host, pathname } = URL.parse(url) ?? { protocol: url.replace(/:.*/s, ':'), host: '', pathname: '' };
  return `${protocol}${host && '//'}${host}${pathname}`;
}

/** The contracts as one, for a run with one report, after a clause on the place itself. */
function oneOf(ports: readonly Contract<StoreHarness>[], first: Clause<unknown>): Contract<StoreHarness> {
  const clauses = [first, ...ports.flatMap((port) => port.clauses)];
  return { ...ports[0], name: 'PlantStore', clauses, newer: ports.flatMap(({ newer = [] }) => newer), revisions: [] };
}

/** What the contract of a scratch place does not tell of the place beside it. */
const itself = (store: StoreAt): Clause<unknown> => ({
  id: 'PLACE',
  title: 'the place at the URL can keep plants',
  async check() {
    try {
      // Opening a file would make it.
      if (store.files && (await store.status()).some(({ applied }) => !applied))
        throw new StoreUnavailable('it is not there, or not migrated');
      const opened = await store.open();
      await opened.check().finally(() => opened.close());
    } catch (error) {
      if (error instanceof StoreUnavailable && !(error instanceof StoreMisconfigured))
        throw new NotChecked(error.message);
      throw error;
    }
  },
});
