import { errorMessage, type Host, UsageError } from '@plant-store/command-line';
import type { ContractReport } from '@plant-store/contracts-kit';
import { checkAndReport, cleanupOnExit, type Reporting, selectClauses } from '@plant-store/contracts-kit/cli';
import { storeContract } from './store-contracts.ts';
import type { StoreHarness } from './store-harness.ts';

/** What is checked. */
export interface VerifiedStore {
  /** Of scratch places beside the store, which stays untouched. */
  harness(): Promise<StoreHarness>;
  /** Paths of the files that the store consists of, which no report may overwrite; only if it is made of files. */
  files?(): Promise<readonly string[]>;
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
  store: VerifiedStore,
  { only, ...reporting }: StoreVerification,
  host: Host,
): Promise<ContractReport> {
  const contract = selectClauses(storeContract, { only });
  const storeFiles = (await store.files?.()) ?? [];
  const harness = await store.harness();
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
