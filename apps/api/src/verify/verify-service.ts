import { type DeployedService, httpContract } from '@plant-store/adapters-http/contract';
import type { ContractReport } from '@plant-store/domain/contract';
import { reasonOf } from '../reason-of.ts';
import { checkAndReport } from './check-and-report.ts';
import { selectClauses } from './select-clauses.ts';
import { WrongUsage } from './wrong-usage.ts';

/** What is verified, as it was given on the command line. */
export interface ServiceToVerify {
  readonly url: string;
  readonly token: string | undefined;
  readonly otherToken: string | undefined;
  readonly only: string | undefined;
  readonly json: boolean;
}

/**
 * Checks the HTTP contract against a running service and prints the report. It leaves plants behind, see
 * {@link httpContract}.
 *
 * @throws {WrongUsage} when there is nothing to check: no service at the address, or one that does not let us in.
 */
export async function verifyService({ only, json, ...given }: ServiceToVerify): Promise<ContractReport> {
  const contract = selectClauses(httpContract, only);
  const service = deployedService(given);
  await assertLetsUsIn(service);
  return checkAndReport(contract, service, { json });
}

function deployedService({ url, token, otherToken }: Omit<ServiceToVerify, 'only' | 'json'>): DeployedService {
  if (!isBaseUrl(url))
    throw new WrongUsage('--url: expected the base address of the service, such as https://example.org/garden');
  if (token === undefined)
    throw new WrongUsage('no token: set API_TOKEN, or give --token, to one that the service accepts');
  for (const text of [token, otherToken ?? token])
    if (!/^[\x21-\x7e]+$/.test(text))
      throw new WrongUsage('a token is empty, or has characters that no header can hold');
  return { baseUrl: url.replace(/\/+$/, ''), token, ...(otherToken !== undefined && { otherToken }) };
}

function isBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !/[?#]/.test(text) && !url.username && !url.password;
}

/** Otherwise every single clause would say the same. An empty record stores nothing. */
async function assertLetsUsIn({ baseUrl, token, otherToken }: DeployedService): Promise<void> {
  for (const [name, text] of Object.entries({ token, 'other token': otherToken })) {
    if (text === undefined) continue;
    const status = await fetch(`${baseUrl}/plants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
      body: '{}',
      redirect: 'manual',
      signal: AbortSignal.timeout(FIRST_ANSWER_MS),
    }).then(statusOf, (error: Error) => {
      // fetch says «fetch failed», and in its cause why.
      const reason = reasonOf(error.cause ?? error);
      throw new WrongUsage(`nobody answers at ${baseUrl} (${reason}): is the service there, and running?`);
    });
    if (status === 401)
      throw new WrongUsage(`the service at ${baseUrl} does not accept the ${name}: give one that it accepts`);
  }
}

async function statusOf(answer: Response): Promise<number> {
  await answer.body?.cancel();
  return answer.status;
}

/** A service that is starting, far away, or has to wake up its database, has answered by then. */
const FIRST_ANSWER_MS = 10_000;
