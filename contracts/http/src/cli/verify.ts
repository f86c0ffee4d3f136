import { setTimeout as sleep } from 'node:timers/promises';
import { ContractViolation } from '@plant-store/contracts-kit';
import {
  type Command,
  commonHelp,
  errorMessage,
  prepareCheck,
  SetupError,
  UsageError,
} from '@plant-store/contracts-kit/cli';
import { fixedIds } from '../clauses/ids.ts';
import type { DeployedService } from '../deployed-service.ts';
import { create } from '../expectations/expectations.ts';
import { httpContract } from '../http-contract.ts';
import { aPlant } from '../new-plants.ts';

type Option = 'url' | 'token' | 'other-token' | 'body-limit';

/** Checks the HTTP contract against a running service. It leaves plants in the store. */
export const verify: Command<Option> = {
  name: 'verify',
  help: `Usage: verify --url <url> [options]

Checks a running service against the HTTP contract. A reverse proxy may change framing, so run it against the service itself.

  --url <url>             base address of the service, such as https://example.org/garden
  --token <token>         accepted token (default: API_TOKEN, which keeps it out of process lists)
  --other-token <token>   another accepted token
  --body-limit <bytes>    BODY_LIMIT of the service, if it is not 65536
${commonHelp}

It leaves plants in the store, two of them as large as the body limit, at most 1 MiB. Their ids are random, except for
these, which every run reuses. Plants that already have these ids stay unchanged:
${fixedIds.join(', ')}.`,
  options: ['url', 'token', 'other-token', 'body-limit'],
  async check(values, { API_TOKEN }, host) {
    const service = deployedService({ ...values, token: values.token ?? API_TOKEN });
    const check = prepareCheck(httpContract, values, host);
    await assertUsable(service);
    return check(service, () => whyUnreachable(service));
  },
};

/** @throws {UsageError} if an option is missing or wrong. */
function deployedService({
  url = '',
  token,
  'other-token': otherToken,
  'body-limit': bodyLimit = '65536',
}: { readonly [Name in Option]?: string | undefined }): DeployedService {
  const { protocol = '', username, password, search, hash } = URL.parse(url) ?? {};
  if (!/^https?:$/.test(protocol) || username || password || search || hash)
    throw new UsageError('--url: expected the base address of the service, such as https://example.org/garden');
  if (!token) throw new UsageError('no token: set API_TOKEN or pass --token');
  for (const text of [token, otherToken ?? token])
    if (!/^[\x21-\x7e]+$/.test(text))
      throw new UsageError('a token is empty or has characters that a header cannot have; pass the token alone');
  const limit = /^\d{1,8}$/.test(bodyLimit) ? Number(bodyLimit) : 0;
  // The bodies of the other clauses fit into 4 KiB, and 64 MiB can be sent in time.
  if (limit < 4_096 || limit > 2 ** 26) throw new UsageError('--body-limit: expected 4096 to 67108864 bytes');
  const baseUrl = url.replace(/\/+$/, '');
  return { baseUrl, token, bodyLimit: limit, ...(otherToken !== undefined && { otherToken }) };
}

/** Checks first what would make every clause fail. @throws {SetupError} if the service does not store a plant with each token. */
async function assertUsable(service: DeployedService): Promise<void> {
  const { baseUrl, token, otherToken = token } = service;
  for (const text of [token, otherToken]) {
    const { status } = await create({ ...service, token: text }, aPlant()).catch((error: unknown) => {
      throw new SetupError(`${noResponse(service, error)}: is the service running there?`);
    });
    const problem = problems[status];
    if (problem) throw new SetupError(`the service at ${baseUrl} ${problem} (${status})`);
  }
}

const redirects = 'redirects POST /plants: pass the address that it redirects to';

/** What to do about these statuses, with which no clause could be checked. */
const problems: Readonly<Record<number, string>> = {
  ...{ 301: redirects, 302: redirects, 307: redirects, 308: redirects },
  401: 'does not accept a token: pass one that it accepts',
  403: 'refuses a token: pass one that may create plants',
  404: 'has no /plants: check the path of --url',
  429: 'limits the rate of requests: switch its limit off while verify runs',
  502: 'is not reached by the proxy before it: check the proxy',
  503: 'cannot store plants: check its log and its store',
  504: 'does not answer the proxy before it: check the proxy',
};

/** Undefined if the service responds, at the latest after two seconds, in which a supervisor may restart it. */
async function whyUnreachable(service: DeployedService): Promise<string | undefined> {
  // An empty record stores nothing.
  const request = () => create(service, '{}').then(() => undefined);
  return request()
    .catch(() => sleep(2_000).then(request))
    .catch((error) => noResponse(service, error));
}

function noResponse({ baseUrl }: DeployedService, error: unknown): string {
  return `no response from ${baseUrl} (${error instanceof ContractViolation ? error.actual : errorMessage(error)})`;
}
