import { join } from 'node:path';
import { type StoreLimits, storeEngine } from '../stores/engines.ts';
import { type JwtSettings, readJwtSettings } from './jwt-settings.ts';
import { readSettings, type ValuesOf } from './setting.ts';
import { settings } from './settings.ts';

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
  /** How many bytes of large bodies a process holds at once. */
  readonly maxBodyBytesInFlight: number;
  /** How many connections to the public listener a process has open at once. */
  readonly maxConnections: number;
  /** How many requests a second a process accepts with one token; undefined where there is no limit. */
  readonly requestsPerSecond: number | undefined;
  /** How long the service goes on serving after SIGTERM while it is not ready any more, in milliseconds. */
  readonly shutdownDelayMs: number;
  /** Whether `/docs` has a page to try the operation. */
  readonly docs: boolean;
  /** One of pino's levels, or `silent`. */
  readonly logLevel: ValuesOf<typeof settings>['LOG_LEVEL'];
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

/**
 * Reads the configuration. A variable that is set to nothing counts as not set.
 * @throws {ConfigError} listing every variable that is wrong; values are not repeated, they may be secrets.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const { values: read, faults } = readSettings(settings, environment);
  const jwt = readJwtSettings(environment);
  const allFaults = [...faults, ...jwt.faults];
  if (allFaults.length > 0) throw new ConfigError(`The configuration is wrong:\n${allFaults.map(indented).join('\n')}`);
  const production = read.NODE_ENV === 'production';
  const databaseUrl = read.DATABASE_URL ?? `sqlite:${join(read.DATA_DIR, 'plants.db')}`;
  if (read.WORKERS > 1 && !storeEngine(databaseUrl, () => {}).capabilities.shared) {
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
      ...(read.DATABASE_ANSWER_TIMEOUT_MS === undefined ? {} : { timeoutMs: read.DATABASE_ANSWER_TIMEOUT_MS }),
      ...(read.DATABASE_MAX_WAIT_MS === undefined ? {} : { maxWaitMs: read.DATABASE_MAX_WAIT_MS }),
      ...(read.DATABASE_MAX_WAITING === undefined ? {} : { maxWaiting: read.DATABASE_MAX_WAITING }),
      ...(read.DATABASE_MAX_BATCH === undefined ? {} : { maxBatch: read.DATABASE_MAX_BATCH }),
      ...(read.DATABASE_MAX_WRITES === undefined ? {} : { maxWrites: read.DATABASE_MAX_WRITES }),
    },
    dataDirectory: read.DATA_DIR,
    migrate: read.MIGRATE,
    tokens: read.API_TOKENS ?? '',
    tokensFile: read.API_TOKENS_FILE,
    jwt: jwt.settings,
    workers: read.WORKERS,
    bodyLimit: read.BODY_LIMIT,
    maxRequestsInFlight: read.MAX_REQUESTS_IN_FLIGHT,
    maxBodyBytesInFlight: read.MAX_BODY_BYTES_IN_FLIGHT,
    maxConnections: read.MAX_CONNECTIONS,
    requestsPerSecond: read.RATE_LIMIT_PER_SECOND,
    // Nobody balances what a developer runs.
    shutdownDelayMs: read.SHUTDOWN_DELAY_MS ?? (production ? 3_000 : 0),
    docs: read.DOCS === 'on',
    logLevel: read.LOG_LEVEL,
    production,
  };
}

function indented(line: string): string {
  return `  ${line}`;
}
