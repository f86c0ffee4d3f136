import { join } from 'node:path';
import { z } from 'zod';
import { defaultDataDirectory } from './data-directory.ts';
import { type JwtSettings, readJwtSettings } from './jwt-settings.ts';
import { databaseUrlForms, isDatabaseUrl, type StoreLimits, storeEngine } from './stores.ts';
import { wholeNumber } from './whole-number.ts';

/** Everything that an operator decides, read from environment variables by {@link readConfig}. */
export interface Config {
  /** The public listener. */
  readonly http: Address;
  /** The operator's listener; undefined where it is switched off. */
  readonly admin: Address | undefined;
  /** Where plants are kept: a URL for which there is a row in `stores.ts`. */
  readonly databaseUrl: string;
  /** How many connections to the store, and how long it may take; what is left out is the adapter's to decide. */
  readonly databaseLimits: StoreLimits;
  /** The directory of the embedded store and of the token that development makes. */
  readonly dataDirectory: string;
  /** Whether the store's schema is migrated at start, or must be up to date already. */
  readonly migrate: 'auto' | 'off';
  /** Accepted tokens as the operator wrote them: comma-separated, each clear or `sha256:<64 hex>`. */
  readonly tokens: string;
  /** A file with more of them, one a line. */
  readonly tokensFile: string | undefined;
  /** The JWTs that are accepted beside them, if any. */
  readonly jwt: JwtSettings | undefined;
  /** How many processes serve. One by default; more need a store that several may have open. */
  readonly workers: number;
  /** The largest request body, in bytes. */
  readonly bodyLimit: number;
  /** How many requests a process reads and answers at once. */
  readonly maxRequestsInFlight: number;
  /** How many requests a second a process accepts with one token; undefined where there is no limit. */
  readonly requestsPerSecond: number | undefined;
  readonly logLevel: (typeof logLevels)[number];
  /** `NODE_ENV=production`: nothing is made up for convenience. */
  readonly production: boolean;
}

/** Where a listener listens. Port 0 picks a free one. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The configuration is wrong. The message is a list of what is wrong and what was expected, one a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** pino's levels, and `silent`. */
const logLevel = z.enum(logLevels, { error: `expected one of ${logLevels.join(', ')}` });

const port = wholeNumber(0, 65_535);

const variables = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(3000),
  ADMIN_HOST: z.string().default('127.0.0.1'),
  ADMIN_PORT: z
    .union([z.literal('off'), port], { error: 'expected a whole number from 0 to 65535, or off' })
    .default(3001),
  DATA_DIR: z.string().default(defaultDataDirectory),
  DATABASE_URL: z
    .string()
    .refine(isDatabaseUrl, { error: `expected ${databaseUrlForms}` })
    .optional(),
  DATABASE_POOL_SIZE: wholeNumber(1, 10_000).optional(),
  DATABASE_CONNECT_TIMEOUT_MS: wholeNumber(1, 600_000).optional(),
  DATABASE_ANSWER_TIMEOUT_MS: wholeNumber(1, 600_000).optional(),
  MIGRATE: z.enum(['auto', 'off'], { error: 'expected auto or off' }).default('auto'),
  API_TOKENS: z.string().default(''),
  API_TOKENS_FILE: z.string().optional(),
  WORKERS: wholeNumber(1, 1_024).default(1),
  BODY_LIMIT: wholeNumber(1, 1_073_741_824).default(1_048_576),
  MAX_REQUESTS_IN_FLIGHT: wholeNumber(1, 1_000_000).default(2_000),
  RATE_LIMIT_PER_SECOND: wholeNumber(1, 1_000_000).optional(),
  LOG_LEVEL: logLevel.default('info'),
  NODE_ENV: z.string().optional(),
});

/**
 * Reads the configuration. A variable that is set to nothing counts as not set.
 * @throws {ConfigError} listing every variable that is wrong; values are not repeated, they may be secrets.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = variables.safeParse(set);
  const jwt = readJwtSettings(set);
  if (!result.success || jwt.faults.length > 0) {
    const faults = result.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? [];
    throw new ConfigError(`The configuration is wrong:\n${[...faults, ...jwt.faults].map(indented).join('\n')}`);
  }
  const read = result.data;
  const databaseUrl = read.DATABASE_URL ?? `sqlite:${join(read.DATA_DIR, 'plants.db')}`;
  if (read.WORKERS > 1 && !storeEngine(databaseUrl, () => {}).promises.shared) {
    throw new ConfigError(
      'The configuration is wrong:\n  WORKERS: expected 1, since several processes cannot share the store at DATABASE_URL',
    );
  }
  return {
    http: { host: read.HOST, port: read.PORT },
    admin: read.ADMIN_PORT === 'off' ? undefined : { host: read.ADMIN_HOST, port: read.ADMIN_PORT },
    databaseUrl,
    databaseLimits: {
      ...(read.DATABASE_POOL_SIZE === undefined ? {} : { poolSize: read.DATABASE_POOL_SIZE }),
      ...(read.DATABASE_CONNECT_TIMEOUT_MS === undefined ? {} : { connectWithinMs: read.DATABASE_CONNECT_TIMEOUT_MS }),
      ...(read.DATABASE_ANSWER_TIMEOUT_MS === undefined ? {} : { answerWithinMs: read.DATABASE_ANSWER_TIMEOUT_MS }),
    },
    dataDirectory: read.DATA_DIR,
    migrate: read.MIGRATE,
    tokens: read.API_TOKENS,
    tokensFile: read.API_TOKENS_FILE,
    jwt: jwt.settings,
    workers: read.WORKERS,
    bodyLimit: read.BODY_LIMIT,
    maxRequestsInFlight: read.MAX_REQUESTS_IN_FLIGHT,
    requestsPerSecond: read.RATE_LIMIT_PER_SECOND,
    logLevel: read.LOG_LEVEL,
    production: read.NODE_ENV === 'production',
  };
}

function indented(line: string): string {
  return `  ${line}`;
}
