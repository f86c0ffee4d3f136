import { errorMessage, type Host, UsageError } from '@plant-store/command-line';
import { type Clause, type ContractReport, NotChecked } from '@plant-store/contracts-kit';
import { checkAndReport, cleanupOnExit, type Reporting, selectClauses } from '@plant-store/contracts-kit/cli';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import type { StoreAt } from '@plant-store/store-kit';
import { storeContract } from './store-contracts.ts';
import type { StoreHarness } from './store-harness.ts';

/** What is checked. */
export interface VerifiedStore {
  /** The store itself, to which nothing is added. No report may overwrite its files. */
  readonly store: Pick<StoreAt, 'open' | 'status' | 'files'>;
  /** Of scratch places beside it. */
  harness(): Promise<StoreHarness>;
}

/** What to check, and where to report it, as given on the command line. */
export interface StoreVerification extends Omit<Reporting, 'storeFiles'> {
  readonly only: string | undefined;
}

/**
 * Checks the contracts of a store's ports against a store and prints the report. It works in scratch places beside the
 * stored plants and removes them at exit, except after SIGKILL.
 *
 * @throws {UsageError} if there is nothing to check: no such clause, or the store provides no scratch place.
 */
export async function verifyStore(
  { store, harness: harnessOf }: VerifiedStore,
  { only, ...reporting }: StoreVerification,
  host: Host,
): Promise<ContractReport> {
  const clauses = [itself(store), ...storeContract.clauses];
  const contract = selectClauses({ ...storeContract, clauses }, { only });
  const storeFiles = (await store.files?.()) ?? [];
  const harness = await harnessOf();
  const say = (problem: string) => void host.stderr.write(`${reporting.program}: ${problem}\n`);
  return cleanupOnExit(
    () => harness.prepare(),
    host,
    say,
    async (prepare) => {
      // Otherwise every clause would report the same failure.
      await prepare().then(
        (place) => place.dispose(),
        (cause: unknown) => {
          throw new UsageError(`cannot prepare a place to verify the store in: ${errorMessage(cause)}`, { cause });
        },
      );
      return checkAndReport(contract, { ...harness, prepare }, { ...reporting, storeFiles }, host);
    },
  );
}

/** What the contract of a scratch place does not tell of the place beside it. */
const itself = (store: VerifiedStore['store']): Clause<unknown> => ({
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
