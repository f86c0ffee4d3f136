import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage, type Host, UsageError } from '@plant-store/command-line';
import type { ContractReport } from '@plant-store/contracts-kit';
import { checkAndReport, type Reporting, selectClauses, stopWhenUnreachable } from '@plant-store/contracts-kit/cli';
import { withConcurrentWaits } from './concurrent-waits.ts';
import type { DeployedService } from './deployed-service.ts';
import { httpContract } from './http-contract.ts';

/** What to verify, as given on the command line. */
export interface ServiceToVerify extends Omit<Reporting, 'program' | 'subject' | 'storeFiles'> {
  readonly url: string;
  readonly token: string | undefined;
  readonly otherToken: string | undefined;
  /** In bytes; the service's default if undefined. */
  readonly bodyLimit: string | undefined;
  readonly only: string | undefined;
  readonly except: string | undefined;
}

/**
 * Checks the HTTP contract against a running service and prints the report. It leaves plants in the store, see
 * {@link httpContract}.
 *
 * @throws {UsageError} if there is nothing to check: no service at the address, or it rejects the token.
 */
export async function verifyService(
  { only, except, json, junit, html, force, ...given }: ServiceToVerify,
  host: Host,
): Promise<ContractReport> {
  const contract = selectClauses(httpContract, { only, except });
  const service = deployedService(given);
  await assertAccess(service);
  const run = stopWhenUnreachable(withConcurrentWaits(contract), () => whyUnreachable(service));
  return checkAndReport(
    run.contract,
    service,
    { program: 'plant-store', subject: service.baseUrl, json, junit, html, force, storeFiles: [] },
    host,
    run.stopped,
  );
}

function deployedService({
  url,
  token,
  otherToken,
  bodyLimit,
}: Omit<ServiceToVerify, 'only' | 'except' | keyof Reporting>): DeployedService {
  if (!isBaseUrl(url))
    throw new UsageError('--url: expected the base address of the service, such as https://example.org/garden');
  if (token === undefined) throw new UsageError('no token: set API_TOKEN or pass --token');
  for (const text of [token, otherToken ?? token])
    if (!/^[\x21-\x7e]+$/.test(text))
      throw new UsageError('a token is empty or contains characters that are not allowed in a header');
  if (bodyLimit !== undefined && !(/^\d{1,10}$/.test(bodyLimit) && Number(bodyLimit) >= SMALLEST_BODY_LIMIT))
    throw new UsageError(`--body-limit: expected a number of bytes, ${SMALLEST_BODY_LIMIT} or more`);
  return {
    baseUrl: url.replace(/\/+$/, ''),
    token,
    ...(otherToken !== undefined && { otherToken }),
    ...(bodyLimit !== undefined && { bodyLimit: Number(bodyLimit) }),
  };
}

function isBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !/[?#]/.test(text) && !url.username && !url.password;
}

/** Otherwise every clause would report the same failure. */
async function assertAccess({ baseUrl, token, otherToken }: DeployedService): Promise<void> {
  for (const [name, text] of Object.entries({ token, 'other token': otherToken })) {
    if (text === undefined) continue;
    const status = await statusFor(baseUrl, text).catch((error: Error) => {
      throw new UsageError(`no response from ${baseUrl} (${error.message}): is the service running there?`);
    });
    if (status === 401)
      throw new UsageError(`the service at ${baseUrl} does not accept the ${name}: pass one that it accepts`);
    if (status === 404) throw new UsageError(`${baseUrl}/plants not found (404): check the path of --url`);
  }
}

/** A service that its supervisor restarts at once is not unreachable. */
async function whyUnreachable({ baseUrl, token }: DeployedService): Promise<string | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await statusFor(baseUrl, token);
      return undefined;
    } catch (error) {
      if (attempt === 3) return `no response from ${baseUrl} (${errorMessage(error)})`;
      await sleep(1_000);
    }
  }
}

/** The status of the response to an empty record, which stores nothing. */
async function statusFor(baseUrl: string, token: string): Promise<number> {
  const response = await fetch(`${baseUrl}/plants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
    redirect: 'manual',
    signal: AbortSignal.timeout(FIRST_RESPONSE_MS),
  }).catch((error: Error) => {
    // fetch only says «fetch failed»; the cause says why.
    throw new Error(errorMessage(error.cause ?? error));
  });
  await response.body?.cancel();
  return response.status;
}

/** Enough for a service that is starting, far away or waiting for its database to wake up. */
const FIRST_RESPONSE_MS = 10_000;

/** The bodies of all clauses that do not test the limit fit. */
const SMALLEST_BODY_LIMIT = 4_096;
