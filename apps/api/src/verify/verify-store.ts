import { errorMessage, type Host, UsageError } from '@plant-store/command-line';
import type { ContractReport } from '@plant-store/contracts-kit';
import { checkAndReport, cleanupOnExit, type Reporting, selectClauses } from '@plant-store/contracts-kit/cli';
import { storeContract } from '@plant-store/contracts-stores';
import { isProduction, maskedUrl } from '../config/index.ts';
import { checkDatabaseUrl, databaseUrlForms, didYouMeanUrl, isDatabaseUrl, storeAt } from '../stores/index.ts';

/** What to verify, as given on the command line. */
export interface StoreToVerify extends Omit<Reporting, 'program' | 'subject' | 'storeFiles'> {
  readonly url: string | undefined;
  readonly only: string | undefined;
}

/**
 * Checks the contracts of a store's ports against the engine that a `DATABASE_URL` names and prints the report. It works in
 * scratch places beside the stored plants and removes them at exit, except after SIGKILL.
 *
 * @throws {UsageError} if there is nothing to check: no such engine, or it provides no scratch place.
 */
export async function verifyStore(
  { url, only, ...reporting }: StoreToVerify,
  environment: NodeJS.ProcessEnv,
  host: Host,
): Promise<ContractReport> {
  const contract = selectClauses(storeContract, { only });
  if (url === undefined || !isDatabaseUrl(url))
    throw new UsageError(`--url or DATABASE_URL: expected ${databaseUrlForms()}${didYouMeanUrl(url ?? '')}`);
  const production = isProduction(environment);
  const { warning } = checkDatabaseUrl(url);
  if (warning && production) throw new UsageError(`--url or DATABASE_URL: ${warning}`);
  if (warning) host.stderr.write(`plant-store: --url or DATABASE_URL: ${warning}\n`);

  const store = storeAt(url, { onError: () => {} });
  const storeFiles = (await store.files?.()) ?? [];
  const harness = await store.harness();
  const say = (problem: string) => void host.stderr.write(`plant-store: ${problem}\n`);
  return cleanupOnExit(
    () => harness.prepare(),
    host,
    say,
    async (prepare) => {
      const subject = { ...harness, prepare };
      // Otherwise every clause would report the same failure.
      await subject.prepare().then(
        (place) => place.dispose(),
        (error: unknown) => {
          throw new UsageError(`cannot prepare a place to verify the store in: ${errorMessage(error)}`, {
            cause: error,
          });
        },
      );
      return checkAndReport(
        contract,
        subject,
        { ...reporting, program: 'plant-store', subject: maskedUrl(url), storeFiles },
        host,
      );
    },
  );
}
