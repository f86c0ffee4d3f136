import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { httpLimits } from '@plant-store/adapters-http/limits';
import {
  defaultJwtAlgorithms,
  jwtAlgorithms,
  MAX_CLOCK_SKEW_SECONDS,
  parseJwksUrl,
} from '@plant-store/adapters-tokens';
import { z } from 'zod';
import { limitsOf, storageAdapters, urlForms } from '../stores/index.ts';
import { oneOf, plainText, setting, wholeNumber } from './setting.ts';
import { maskedTokens, maskedUrl } from './urls.ts';

const port = wholeNumber(0, 65_535);
const host = plainText('a host name or an IP address');
const path = plainText('a path');
const MAX_COUNT = 1_000_000;

/** The settings of the adapters' limits. */
const limitSettings = Object.fromEntries(
  storageAdapters.flatMap((adapter) =>
    Object.values(limitsOf(adapter)).flatMap(({ setting: about, min, default: byDefault }) =>
      about
        ? [[about.name, setting(wholeNumber(min, about.max).default(byDefault), { description: about.meaning })]]
        : [],
    ),
  ),
);

/** Every setting, in the order of the documentation. */
export const settings = z.object({
  HOST: setting(host.default('127.0.0.1'), { description: 'address of the public listener' }),
  PORT: setting(port.default(3_000), { description: 'port of the public listener; 0 picks a free one' }),
  ADMIN_HOST: setting(host.default('127.0.0.1'), {
    description: 'address of the admin listener',
  }),
  ADMIN_PORT: setting(z.literal('off').or(port).default(3_001), {
    description: 'port of the admin listener, or off',
    expected: 'a whole number from 0 to 65535, or off',
  }),

  DATABASE_URL: setting(z.string().optional(), {
    description: 'URL of the store',
    expected: `${urlForms()}, or a URL of STORAGE_ADAPTER`,
    unset: 'sqlite:<DATA_DIR>/plants.db, and none in production',
    masked: maskedUrl,
  }),
  DATABASE_URL_FILE: setting(path.optional(), {
    description: 'file with DATABASE_URL',
  }),
  STORAGE_ADAPTER: setting(z.string().optional(), {
    description: 'package or file with your storage adapter',
    expected: 'a package or a path that begins with ./ or /, as seen from the working directory',
  }),
  DATA_DIR: setting(path.default(defaultDataDirectory()), {
    description: 'directory of SQLite file and generated token',
    unset: 'data in the repository',
  }),
  // No part of the service but their adapter knows their names.
  ...(limitSettings as Record<never, never>),
  MIGRATE: setting(oneOf('auto', 'off').default('auto'), {
    description: 'auto migrates at startup; off requires a current schema',
  }),

  API_TOKENS: setting(z.string().optional(), {
    description: 'accepted tokens, comma-separated',
    expected: 'comma-separated tokens, each clear or sha256:<64 hex>',
    unset: 'if no tokens are configured, one generated at the first start',
    masked: maskedTokens,
  }),
  API_TOKENS_FILE: setting(path.optional(), {
    description: 'file with accepted tokens, one per line; re-read when it changes',
  }),

  BODY_LIMIT: setting(wholeNumber(1, 2 ** 30).default(httpLimits.bodyLimit), {
    description: 'maximum request body in bytes',
  }),
  MAX_REQUESTS_IN_FLIGHT: setting(wholeNumber(1, MAX_COUNT).default(httpLimits.maxRequestsInFlight), {
    description: 'maximum requests in flight; further ones get a 503',
  }),
  MAX_CONNECTIONS: setting(wholeNumber(1, MAX_COUNT).default(httpLimits.maxConnections), {
    description: 'maximum connections; above half of it, idle ones are closed after a second',
  }),
  KEEP_ALIVE_TIMEOUT_MS: setting(wholeNumber(1_000, 3_600_000).default(httpLimits.keepAliveTimeout), {
    description: 'how long an idle connection stays open, in milliseconds',
  }),
  RATE_LIMIT_PER_SECOND: setting(wholeNumber(1, MAX_COUNT).optional(), {
    description: 'maximum requests per second and token; further ones get a 429',
    unset: 'no limit',
  }),

  SHUTDOWN_DELAY_MS: setting(wholeNumber(0, 600_000).optional(), {
    description: 'how long it serves after SIGTERM, not ready, in milliseconds',
    unset: '3000 in production, else 0',
  }),
  DOCS: setting(oneOf('on', 'off').optional(), {
    description: 'page at /docs to try the service',
    unset: 'off in production, else on',
  }),
  LOG_LEVEL: setting(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'), {
    description: 'log level',
  }),
  // Rejects `Production`, because it would disable the checks.
  NODE_ENV: setting(z.string().refine(isValidNodeEnv).optional(), {
    description: 'production requires tokens, and TLS for secrets',
    expected: 'production, in exactly these letters, or another word',
  }),

  JWT_ISSUER: setting(plainText('a string').optional(), {
    description: 'exact `iss` of accepted JWTs',
  }),
  JWT_AUDIENCE: setting(plainText('a string').optional(), {
    description: 'what `aud` must be or contain',
  }),
  JWT_JWKS_URL: setting(z.string().refine(isJwksUrl).optional(), {
    description: 'URL of the keys of the issuer',
    expected: 'https://… without a user and a password, or http://… on this machine (localhost, 127.0.0.1, [::1])',
    masked: maskedUrl,
  }),
  JWT_JWKS_FILE: setting(path.optional(), { description: 'file with the keys, re-read when it changes' }),
  JWT_ALGORITHMS: setting(
    z
      .string()
      .transform((list) => list.split(',').map((name) => name.trim()))
      .pipe(z.array(z.enum(jwtAlgorithms)))
      .default([...defaultJwtAlgorithms]),
    {
      description: 'accepted algorithms, comma-separated',
      expected: `some of ${jwtAlgorithms.join(',')}`,
      unset: defaultJwtAlgorithms.join(','),
    },
  ),
  JWT_CLOCK_SKEW_SECONDS: setting(wholeNumber(0, MAX_CLOCK_SKEW_SECONDS).default(60), {
    description: 'maximum clock skew of the issuer',
  }),
});

/** The parsed settings; undefined if not set and without a constant default. */
export type Settings = z.output<typeof settings>;

/** The value of `NODE_ENV` that enables the production checks. */
export const PRODUCTION = 'production';

function isValidNodeEnv(word: string): boolean {
  return word === PRODUCTION || word.trim().toLowerCase() !== PRODUCTION;
}

function isJwksUrl(url: string): boolean {
  try {
    return parseJwksUrl(url) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The directory of the embedded store and the generated token: `data` in the root of the repository; outside of a repository,
 * `data` in the working directory.
 */
function defaultDataDirectory(): string {
  return join(repositoryRoot(import.meta.dirname) ?? process.cwd(), 'data');
}

function repositoryRoot(directory: string): string | undefined {
  if (existsSync(join(directory, 'pnpm-workspace.yaml'))) return directory;
  const parent = dirname(directory);
  return parent === directory ? undefined : repositoryRoot(parent);
}

/** Former settings that share no first word with a current one. */
const RETIRED: readonly string[] = ['WORKERS'];

/** Variables that look like settings: one that `verify` reads, and Node's. */
const NOT_SETTINGS = /^(API_TOKEN$|NODE_)/;

/** Warns about variables that start with the first word of a setting, such as `DATABASE_`, but are unknown. Hides their values. */
export function unknownSettings(environment: NodeJS.ProcessEnv): readonly string[] {
  const names = Object.keys(settings.shape);
  const firstWords = names.map((name) => name.slice(0, name.indexOf('_') + 1)).filter(Boolean);
  return Object.keys(environment)
    .filter((given) => environment[given] && !names.includes(given) && !NOT_SETTINGS.test(given))
    .filter((given) => RETIRED.includes(given) || firstWords.some((word) => given.startsWith(word)))
    .map((given) => `${given}: unknown setting, ignored; see plant-store help environment`);
}
