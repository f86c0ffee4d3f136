import { setTimeout as sleep } from 'node:timers/promises';
import { ContractViolation } from '@plant-store/contracts-kit';
import {
  type Command,
  commonHelp,
  errorMessage,
  prepareCheck,
  SetupError,
  selectClauses,
  UsageError,
} from '@plant-store/contracts-kit/cli';
import { fixedIds } from '../clauses/ids.ts';
import type { DeployedService } from '../deployed-service.ts';
import { create } from '../expectations/expectations.ts';
import type { HttpResponse } from '../http/response-parser.ts';
import { httpContract } from '../http-contract.ts';
import { aPlant } from '../new-plants.ts';

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
    const { 'body-limit': bodyLimit, 'other-token': otherToken } = values;
    const own = { url: service.baseUrl, 'other-token': otherToken && '…', 'body-limit': bodyLimit };
    const repeat = { secret: 'API_TOKEN', options: own };
    const reporting = { ...values, suite: verify, subject: service.baseUrl, repeat };
    const check = await prepareCheck(contract, reporting, host);
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

/** Checks first what would make every clause fail. @throws {SetupError} if the service does not store a plant with each token. */
async function assertUsable(service: DeployedService): Promise<void> {
  const { baseUrl, token, otherToken } = service;
  for (const [name, text] of Object.entries({ token, 'other token': otherToken })) {
    if (text === undefined) continue;
    const { status } = await storing({ ...service, token: text }).catch((error: unknown) => {
      throw new SetupError(`${noResponse(service, error)}: is the service running there?`);
    });
    const problem = problems[status];
    if (problem) throw new SetupError(`the service at ${baseUrl} ${problem.replace('{token}', name)} (${status})`);
  }
}

/** The response to a new plant. A service that cannot store it yet gets two seconds more. */
async function storing(service: DeployedService): Promise<HttpResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await create(service, aPlant());
    if (response.status !== 503 || attempt === 3) return response;
    await sleep(1_000);
  }
}

/** What to do about these statuses, with which no clause could be checked. */
const problems: Readonly<Record<number, string>> = {
  ...Object.fromEntries(
    [301, 302, 307, 308].map((status) => [status, 'redirects POST /plants: pass the address that it redirects to']),
  ),
  401: 'does not accept the {token}: pass one that it accepts',
  403: 'refuses the {token}: pass one that may create plants',
  404: 'has no /plants: check the path of --url',
  429: 'limits the rate of requests: switch its limit off while verify runs',
  502: 'is not reached by the proxy before it: check the proxy',
  503: 'cannot store plants: check its log and its store',
  504: 'does not answer the proxy before it: check the proxy',
};

/** Undefined if the service responds, at the latest after two seconds, in which a supervisor may restart it. */
async function whyUnreachable(service: DeployedService): Promise<string | undefined> {
  // An empty record stores nothing.
  const request = () => create(service, '{}');
  const later = () => sleep(1_000).then(request);
  return request()
    .catch(later)
    .catch(later)
    .then(
      () => undefined,
      (error) => noResponse(service, error),
    );
}

function noResponse({ baseUrl }: DeployedService, error: unknown): string {
  return `no response from ${baseUrl} (${error instanceof ContractViolation ? error.actual : errorMessage(error)})`;
}
