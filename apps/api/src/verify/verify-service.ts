import { setTimeout as sleep } from 'node:timers/promises';
import { type DeployedService, httpContract, whileOthersRun } from '@plant-store/contracts-http';
import type { ContractReport } from '@plant-store/contracts-kit';
import { reasonOf } from '../error-message.ts';
import { WrongUsage } from '../usage-error.ts';
import { checkAndReport } from './check-and-report.ts';
import { selectClauses } from './select-clauses.ts';
import { untilItGoesAway } from './stop-when-unreachable.ts';

/** What is verified, as it was given on the command line. */
export interface ServiceToVerify {
  readonly url: string;
  readonly token: string | undefined;
  readonly otherToken: string | undefined;
  /** In bytes; what the service has by default where it is left out. */
  readonly bodyLimit: string | undefined;
  readonly only: string | undefined;
  readonly except: string | undefined;
  readonly json: boolean;
}

/**
 * Checks the HTTP contract against a running service and prints the report. It leaves plants behind, see
 * {@link httpContract}.
 *
 * @throws {WrongUsage} when there is nothing to check: no service at the address, or one that does not let us in.
 */
export async function verifyService({ only, except, json, ...given }: ServiceToVerify): Promise<ContractReport> {
  const contract = selectClauses(httpContract, { only, except });
  const service = deployedService(given);
  await assertLetsUsIn(service);
  const run = untilItGoesAway(whileOthersRun(contract), () => reasonOfSilence(service));
  return checkAndReport(run.contract, service, { json, stopped: run.stopped });
}

function deployedService({
  url,
  token,
  otherToken,
  bodyLimit,
}: Omit<ServiceToVerify, 'only' | 'except' | 'json'>): DeployedService {
  if (!isBaseUrl(url))
    throw new WrongUsage('--url: expected the base address of the service, such as https://example.org/garden');
  if (token === undefined)
    throw new WrongUsage('no token: set API_TOKEN, or give --token, to one that the service accepts');
  for (const text of [token, otherToken ?? token])
    if (!/^[\x21-\x7e]+$/.test(text))
      throw new WrongUsage('a token is empty, or has characters that no header can hold');
  if (bodyLimit !== undefined && !(/^\d{1,10}$/.test(bodyLimit) && Number(bodyLimit) >= SMALLEST_BODY_LIMIT))
    throw new WrongUsage(`--body-limit: expected a number of bytes, ${SMALLEST_BODY_LIMIT} or more`);
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

/** Otherwise every single clause would say the same. */
async function assertLetsUsIn({ baseUrl, token, otherToken }: DeployedService): Promise<void> {
  for (const [name, text] of Object.entries({ token, 'other token': otherToken })) {
    if (text === undefined) continue;
    const status = await statusFor(baseUrl, text).catch((error: Error) => {
      throw new WrongUsage(`nobody answers at ${baseUrl} (${error.message}): is the service there, and running?`);
    });
    if (status === 401)
      throw new WrongUsage(`the service at ${baseUrl} does not accept the ${name}: give one that it accepts`);
    if (status === 404)
      throw new WrongUsage(`there is nothing at ${baseUrl}/plants (404): does --url have the right path?`);
  }
}

/** A service whose supervisor starts it again at once is not gone. */
async function reasonOfSilence({ baseUrl, token }: DeployedService): Promise<string | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await statusFor(baseUrl, token);
      return undefined;
    } catch (error) {
      if (attempt === 3) return `nobody answers at ${baseUrl} any more (${reasonOf(error)})`;
      await sleep(1_000);
    }
  }
}

/** The status that an empty record is answered with, which stores nothing. */
async function statusFor(baseUrl: string, token: string): Promise<number> {
  const answer = await fetch(`${baseUrl}/plants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
    redirect: 'manual',
    signal: AbortSignal.timeout(FIRST_ANSWER_MS),
  }).catch((error: Error) => {
    // fetch says «fetch failed», and in its cause why.
    throw new Error(reasonOf(error.cause ?? error));
  });
  await answer.body?.cancel();
  return answer.status;
}

/** A service that is starting, far away, or has to wake up its database, has answered by then. */
const FIRST_ANSWER_MS = 10_000;

/** What the clauses send that are not about large bodies has to fit. */
const SMALLEST_BODY_LIMIT = 4_096;
