import { setTimeout as sleep } from 'node:timers/promises';
import { ContractViolation } from '@plant-store/contracts-kit';
import {
  type Command,
  checkAndReport,
  commonHelp,
  errorMessage,
  selectClauses,
  UsageError,
} from '@plant-store/contracts-kit/cli';
import { fixedIds } from '../clauses/ids.ts';
import type { DeployedService } from '../deployed-service.ts';
import { firstResponse } from '../http/raw-request.ts';
import { httpContract } from '../http-contract.ts';

const options = {
  url: { type: 'string' },
  token: { type: 'string' },
  'other-token': { type: 'string' },
  'body-limit': { type: 'string' },
} as const;

/** Checks the HTTP contract against a running service and prints the report. It leaves plants in the store. */
export const verify: Command<typeof options> = {
  name: 'verify',
  manifest: new URL('../../package.json', import.meta.url),
  help: `Usage: verify --url <url> [options]

Checks a running service against the HTTP contract.

  --url <url>             base address of the service, such as https://example.org/garden
  --token <token>         accepted token (default: API_TOKEN, which keeps it out of process lists)
  --other-token <token>   another accepted token
  --body-limit <bytes>    BODY_LIMIT of the service, if it is not 65536
${commonHelp}

A reverse proxy changes framing and connections. Run verify against the service directly, or skip those clauses with
--except.

It takes about 15 seconds and leaves plants in the store, two of them as large as the body limit, at most 1 MiB. Their
ids are random, except for these, which every run reuses. Plants that already have these ids stay unchanged:
${fixedIds.join(', ')}.`,
  options,
  async check(values, { API_TOKEN }, host) {
    const contract = selectClauses(httpContract, values);
    const service = deployedService({ ...values, token: values.token ?? API_TOKEN });
    await assertAccess(service);
    const reporting = { ...values, program: 'verify', subject: service.baseUrl };
    return checkAndReport(contract, service, reporting, host, () => whyUnreachable(service));
  },
};

/** @throws {UsageError} if an option is missing or wrong. */
function deployedService({
  url = '',
  token,
  'other-token': otherToken,
  'body-limit': bodyLimit = '65536',
}: { readonly [Name in keyof typeof options]?: string | undefined }): DeployedService {
  if (!isBaseUrl(url))
    throw new UsageError('--url: expected the base address of the service, such as https://example.org/garden');
  if (!token) throw new UsageError('no token: set API_TOKEN or pass --token');
  for (const text of [token, otherToken ?? token])
    if (!/^[\x21-\x7e]+$/.test(text))
      throw new UsageError('a token is empty or has characters that a header cannot have; pass the token alone');
  const limit = /^\d{1,8}$/.test(bodyLimit) ? Number(bodyLimit) : 0;
  // The bodies of the other clauses fit into 4 KiB, and 64 MiB can be sent in time.
  if (limit < 4_096 || limit > 2 ** 26)
    throw new UsageError(
      '--body-limit: expected 4096 to 67108864 bytes; for a larger limit pass --except HC-16,HC-36 instead',
    );
  return {
    baseUrl: url.replace(/\/+$/, ''),
    token,
    ...(otherToken !== undefined && { otherToken }),
    bodyLimit: limit,
  };
}

function isBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !/[?#]/.test(text) && !url.username && !url.password;
}

/** Checks first what would make every clause fail. @throws {UsageError} if there is no response, no such path or no access. */
async function assertAccess(service: DeployedService): Promise<void> {
  const { baseUrl, token, otherToken } = service;
  for (const [name, text] of Object.entries({ token, 'other token': otherToken })) {
    if (text === undefined) continue;
    const status = await statusFor({ ...service, token: text }).catch((error: Error) => {
      throw new UsageError(`no response from ${baseUrl} (${error.message}): is the service running there?`);
    });
    if (status === 401)
      throw new UsageError(`the service at ${baseUrl} does not accept the ${name}: pass one that it accepts`);
    if (status === 404) throw new UsageError(`${baseUrl}/plants not found (404): check the path of --url`);
  }
}

/** Undefined if the service responds, at the latest after two seconds, in which a supervisor may restart it. */
async function whyUnreachable(service: DeployedService): Promise<string | undefined> {
  const status = () => statusFor(service);
  const later = () => sleep(1_000).then(status);
  return status()
    .catch(later)
    .catch(later)
    .then(
      () => undefined,
      (error) => `no response from ${service.baseUrl} (${errorMessage(error)})`,
    );
}

/** The status of the response to an empty record, which stores nothing. @throws {Error} if there is no response. */
async function statusFor(service: DeployedService): Promise<number> {
  try {
    return (await firstResponse(service, 'an empty record', { body: '{}' })).status;
  } catch (error) {
    throw error instanceof ContractViolation ? new Error(error.actual) : error;
  }
}
