import { join } from 'node:path';
import { z } from 'zod';
import { defaultDataDirectory } from './data-directory.ts';
import type { StoreLimits } from './stores.ts';

/** Everything that an operator decides, read from environment variables by {@link readConfig}. */
export interface Config {
  /** The public listener. */
  readonly http: Address;
  /** The operator's listener; undefined where it is switched off. */
  readonly admin: Address | undefined;
  /** Where plants are kept: `postgres://…`, `sqlite:<path>` or `memory:`. */
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
  /** How many processes serve. One by default; more need a store that several may have open. */
  readonly workers: number;
  /** The largest request body, in bytes. */
  readonly bodyLimit: number;
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

function wholeNumber(min: number, max: number) {
  const expected = `expected a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, { error: expected })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error: expected });
}

const port = wholeNumber(0, 65_535);

/** Where plants are kept, as an operator writes it. */
export const databaseUrl: z.ZodType<string> = z
  .string()
  .regex(/^(postgres(ql)?:\/\/.+|sqlite:(?!:memory:|~).+|memory:)$/s, {
    error: 'expected postgres://…, sqlite:<path> or memory:',
  });

const variables = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(3000),
  ADMIN_HOST: z.string().default('127.0.0.1'),
  ADMIN_PORT: z
    .union([z.literal('off'), port], { error: 'expected a whole number from 0 to 65535, or off' })
    .default(3001),
  DATA_DIR: z.string().default(defaultDataDirectory),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_POOL_SIZE: wholeNumber(1, 10_000).optional(),
  DATABASE_CONNECT_TIMEOUT_MS: wholeNumber(1, 600_000).optional(),
  DATABASE_ANSWER_TIMEOUT_MS: wholeNumber(1, 600_000).optional(),
  MIGRATE: z.enum(['auto', 'off'], { error: 'expected auto or off' }).default('auto'),
  API_TOKENS: z.string().default(''),
  API_TOKENS_FILE: z.string().optional(),
  WORKERS: wholeNumber(1, 1_024).default(1),
  BODY_LIMIT: wholeNumber(1, 1_073_741_824).default(1_048_576),
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
  if (!result.success) {
    const faults = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`The configuration is wrong:\n${faults.join('\n')}`);
  }
  const read = result.data;
  if (read.WORKERS > 1 && read.DATABASE_URL === 'memory:') {
    throw new ConfigError(
      'The configuration is wrong:\n  WORKERS: expected 1, since each process has a memory of its own',
    );
  }
  return {
    http: { host: read.HOST, port: read.PORT },
    admin: read.ADMIN_PORT === 'off' ? undefined : { host: read.ADMIN_HOST, port: read.ADMIN_PORT },
    databaseUrl: read.DATABASE_URL ?? `sqlite:${join(read.DATA_DIR, 'plants.db')}`,
    databaseLimits: {
      ...(read.DATABASE_POOL_SIZE === undefined ? {} : { poolSize: read.DATABASE_POOL_SIZE }),
      ...(read.DATABASE_CONNECT_TIMEOUT_MS === undefined ? {} : { connectWithinMs: read.DATABASE_CONNECT_TIMEOUT_MS }),
      ...(read.DATABASE_ANSWER_TIMEOUT_MS === undefined ? {} : { answerWithinMs: read.DATABASE_ANSWER_TIMEOUT_MS }),
    },
    dataDirectory: read.DATA_DIR,
    migrate: read.MIGRATE,
    tokens: read.API_TOKENS,
    tokensFile: read.API_TOKENS_FILE,
    workers: read.WORKERS,
    bodyLimit: read.BODY_LIMIT,
    logLevel: read.LOG_LEVEL,
    production: read.NODE_ENV === 'production',
  };
}
