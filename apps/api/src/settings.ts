import { httpLimits } from '@plant-store/adapters-http/limits';
import {
  defaultJwtAlgorithms,
  isJwksUrl,
  jwtAlgorithms,
  MAX_CLOCK_SKEW_SECONDS,
  parseTokenList,
} from '@plant-store/adapters-tokens';
import { z } from 'zod';
import { describeUrls, settableLimits, storageAdapters } from './stores.ts';

/** Text without what was probably copied by mistake: quotes, white space and control characters around it. */
const text = z.string().regex(/^(?![\s"'`“‘])[^\p{Cc}\p{Cf}]+(?<![\s"'`”’])$/u);
const path = text.meta({ expected: 'a path' });
const host = text.meta({ expected: 'a host name or an IP address' });
const port = wholeNumber(0, 65_535);
const MAX_COUNT = 1_000_000;

function wholeNumber(min: number, max: number) {
  const digits = z.string().regex(/^\d{1,15}$/);
  const value = digits.transform(Number).pipe(z.int().min(min).max(max));
  return value.meta({ expected: `a whole number from ${min} to ${max}` });
}

function choice<const Word extends string>(...words: readonly Word[]) {
  return z.enum(words).meta({ expected: words.join(' or ') });
}

/** The settings of the adapters' limits. No part of the service but their adapter knows their names. */
const limits = Object.fromEntries(
  storageAdapters
    .flatMap(settableLimits)
    .map(({ name, min, max, byDefault, meaning }) => [
      name,
      wholeNumber(min, max).default(byDefault).describe(meaning),
    ]),
) as Record<never, never>;

/** Every setting, in the order of the documentation. */
export const settings = z.object({
  HOST: host.default('127.0.0.1').describe('address of the public listener'),
  PORT: port.default(3_000).describe('port of the public listener; 0 picks a free one'),
  ADMIN_HOST: host.default('127.0.0.1').describe('address of the admin listener'),
  ADMIN_PORT: z
    .literal('off')
    .or(port)
    .meta({ expected: 'a whole number from 0 to 65535, or off' })
    .default(3_001)
    .describe('port of the admin listener, or off'),

  DATABASE_URL: z
    .string()
    .trim()
    .regex(/^.*$/)
    .meta({ expected: `${describeUrls()}, or a URL of STORAGE_ADAPTER, on one line` })
    .optional()
    .describe('URL of the store; by default sqlite:<DATA_DIR>/plants.db, and none in production'),
  DATABASE_URL_FILE: path.optional().describe('file with DATABASE_URL'),
  STORAGE_ADAPTER: path
    .optional()
    .describe('package or file with your storage adapter, as seen from the working directory'),
  DATA_DIR: path.default('data').describe('directory of SQLite file and generated token'),
  ...limits,
  MIGRATE: choice('auto', 'off').default('auto').describe('auto migrates at startup; off requires a current schema'),

  API_TOKENS: z
    .string()
    .refine(isTokenList)
    .meta({ expected: 'comma-separated tokens, each clear, of 16 to 1024 characters, or sha256:<64 hex>' })
    .optional()
    .describe('accepted tokens; if none are configured, one is generated at the first start'),
  API_TOKENS_FILE: path.optional().describe('file with accepted tokens, one per line; re-read when it changes'),

  BODY_LIMIT: wholeNumber(1, 2 ** 30)
    .default(httpLimits.bodyLimit)
    .describe('maximum request body in bytes'),
  MAX_REQUESTS_IN_FLIGHT: wholeNumber(1, MAX_COUNT)
    .default(httpLimits.maxRequestsInFlight)
    .describe('maximum requests in flight; further ones get a 503'),
  KEEP_ALIVE_TIMEOUT_MS: wholeNumber(1_000, 3_600_000)
    .default(httpLimits.keepAliveTimeout)
    .describe('how long an idle connection stays open, in milliseconds: longer than those of your proxy'),
  RATE_LIMIT_PER_SECOND: wholeNumber(1, MAX_COUNT)
    .optional()
    .describe('maximum requests of each client per second; further ones get a 429'),

  SHUTDOWN_DELAY_MS: wholeNumber(0, 600_000)
    .optional()
    .describe('how long it serves after SIGTERM, not ready, in milliseconds; by default 3000 in production, else 0'),
  DOCS: choice('on', 'off')
    .optional()
    .describe('page at /docs to try the service; by default off in production, else on'),
  LOG_LEVEL: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info').describe('log level'),
  // Rejects `Production`, because it would disable the checks.
  NODE_ENV: z
    .string()
    .refine((word) => word === 'production' || word.trim().toLowerCase() !== 'production')
    .meta({ expected: 'production, in exactly these letters, or another word' })
    .optional()
    .describe('production requires tokens, and TLS for secrets'),

  JWT_ISSUER: text.meta({ expected: 'a string' }).optional().describe('exact `iss` of accepted JWTs'),
  JWT_AUDIENCE: text.meta({ expected: 'a string' }).optional().describe('what `aud` must be or contain'),
  JWT_JWKS_URL: z
    .string()
    .refine(isJwksUrl)
    .meta({ expected: 'https://… without a user and a password, or http://… on this machine' })
    .optional()
    .describe('URL of the keys of the issuer'),
  JWT_JWKS_FILE: path.optional().describe('file with the keys, re-read when it changes'),
  JWT_ALGORITHMS: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(jwtAlgorithms)))
    .meta({ expected: `some of ${jwtAlgorithms.join(',')}` })
    .default([...defaultJwtAlgorithms])
    .describe('accepted algorithms, comma-separated'),
  JWT_CLOCK_SKEW_SECONDS: wholeNumber(0, MAX_CLOCK_SKEW_SECONDS)
    .default(60)
    .describe('maximum clock skew of the issuer'),
});

/** The parsed settings; undefined if not set and without a constant default. */
export type Settings = z.output<typeof settings>;

function isTokenList(list: string): boolean {
  try {
    return parseTokenList(list).digests.size > 0;
  } catch {
    return false;
  }
}

/** What is documented of a setting: its purpose, the form of its value and its default as an operator writes it. */
export function describeSetting(name: string) {
  const schema = settings.shape[name as keyof Settings];
  const { data: byDefault } = schema.safeParse(undefined);
  const { expected } = ('unwrap' in schema ? schema.unwrap() : schema).meta() ?? {};
  return {
    description: schema.description ?? '',
    expected: String(expected),
    byDefault: byDefault === undefined ? '' : String(byDefault),
  };
}
