import type { ContractReport } from '@plant-store/contracts-kit';
import { plantRepositoryContract } from '@plant-store/contracts-stores';
import { reasonOf } from '../error-message.ts';
import { databaseUrlForms, isDatabaseUrl, storeEngine } from '../stores/engines.ts';
import { WrongUsage } from '../usage-error.ts';
import { checkAndReport } from './check-and-report.ts';
import { clearedWhateverHappens } from './cleanup-on-exit.ts';
import { selectClauses } from './select-clauses.ts';

/** What is verified, as it was given on the command line. */
export interface StoreToVerify {
  readonly url: string | undefined;
  readonly only: string | undefined;
  readonly json: boolean;
}

/**
 * Checks the PlantRepository contract against the engine that a `DATABASE_URL` names, in scratch places of its own
 * beside the plants that are there, and prints the report. What it made is gone when it ends, whatever ends it but
 * SIGKILL.
 *
 * @throws {WrongUsage} when there is nothing to check: no such engine, or no place to be had from it.
 */
export async function verifyStore({ url, only, json }: StoreToVerify): Promise<ContractReport> {
  const contract = selectClauses(plantRepositoryContract, { only });
  if (url === undefined || !isDatabaseUrl(url))
    throw new WrongUsage(`--url, or DATABASE_URL: expected ${databaseUrlForms}`);

  return clearedWhateverHappens(await storeEngine(url, () => {}).underTest(), async (subject) => {
    // Otherwise every single clause would say the same.
    await subject.prepare().then(
      (place) => place.dispose(),
      (error: unknown) => {
        throw new WrongUsage(`no place to verify the store in: ${reasonOf(error)}`, { cause: error });
      },
    );
    return checkAndReport(contract, subject, { json });
  });
}
