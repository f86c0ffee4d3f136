import { join } from 'node:path';
import { ConfigError } from '../errors.ts';
import { checkDatabaseUrl, faultOfStorageAdapter, isShared, type StoreLimits } from '../stores/index.ts';
import { type JwtSettings, readJwtSettings } from './jwt-settings.ts';
import { readSettings, type ValuesOf } from './setting.ts';
import { PRODUCTION, settings } from './settings.ts';
import { withUrlFile } from './url-file.ts';

/** The configuration, read from environment variables by {@link readConfig}. */
export interface Config {
  /** The public listener. */
  readonly http: Address;
  /** The admin listener; undefined if disabled. */
  readonly admin: Address | undefined;
  /** Where plants are stored: a URL of one of the engines in `stores/`. */
  readonly databaseUrl: string;
  /** Limits of the store; the adapters have the defaults. */
  readonly databaseLimits: StoreLimits;
  /** Directory of the embedded store and of the development token. */
  readonly dataDirectory: string;
  /** Whether the schema is migrated at startup or must be up to date already. */
  readonly migrate: 'auto' | 'off';
  /** Accepted tokens as given: comma-separated, each clear or `sha256:<64 hex>`. */
  readonly tokens: string;
  /** A file with more tokens, one per line. */
  readonly tokensFile: string | undefined;
  /** The JWTs that are accepted too, if any. */
  readonly jwt: JwtSettings | undefined;
  /** Number of processes; more than one needs a store that they can share. */
  readonly workers: number;
  /** Maximum request body, in bytes. */
  readonly bodyLimit: number;
  /** Maximum requests in flight per process. */
  readonly maxRequestsInFlight: number;
  /** Maximum bytes of large bodies in flight per process. */
  readonly maxBodyBytesInFlight: number;
  /** Maximum open connections to the public listener, per process. */
  readonly maxConnections: number;
  /** Maximum open connections to the admin listener, per process. */
  readonly adminMaxConnections: number;
  readonly adminAllowedHosts: readonly string[];
  /** Maximum requests per second with one token, per process; undefined means no limit. */
  readonly requestsPerSecond: number | undefined;
  /** How long the service keeps serving after SIGTERM while not ready, in milliseconds. */
  readonly shutdownDelayMs: number;
  /** Whether `/docs` serves a page to try the operation. */
  readonly docs: boolean;
  /** One of pino's levels, or `silent`. */
  readonly logLevel: ValuesOf<typeof settings>['LOG_LEVEL'];
  /** Maximum bytes of the log that wait to be read, per process. */
  readonly logBufferBytes: number;
  /** `NODE_ENV=production`: no token is generated, and no store is reached in plaintext unless the URL says so. */
  readonly production: boolean;
  /** What is unsafe, for the log. */
  readonly warnings: readonly string[];
}

/** Address of a listener. Port 0 picks a free one. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Reads the configuration. An empty variable counts as not set. An adapter that `STORAGE_ADAPTER` names is loaded before,
 * by `loadStorageAdapter`.
 * @throws {ConfigError} listing every faulty variable; values are not repeated, as they may be secrets.
 */
export function readConfig(given: NodeJS.ProcessEnv): Config {
  const environment = withUrlFile(given);
  const { values: read, faults } = readSettings(settings, environment);
  const adapterFault = faultOfStorageAdapter(read.STORAGE_ADAPTER);
  const jwt = readJwtSettings(environment);
  const production = read.NODE_ENV === PRODUCTION;
  const databaseUrl = read.DATABASE_URL ?? `sqlite:${join(read.DATA_DIR, 'plants.db')}`;
  const url = checkDatabaseUrl(databaseUrl);
  const admin = read.ADMIN_PORT === 'off' ? undefined : { host: read.ADMIN_HOST, port: read.ADMIN_PORT };
  const http = { host: read.HOST, port: read.PORT };
  const urlFault = url.fault ?? (production ? url.warning : undefined);
  const allFaults = [
    ...(adapterFault ? [`STORAGE_ADAPTER: ${adapterFault}`] : []),
    ...faults,
    ...(urlFault ? [`DATABASE_URL: ${urlFault}`] : []),
    ...jwt.faults,
  ];
  if (allFaults.length > 0) throw invalid(allFaults);
  if (read.WORKERS > 1 && !isShared(databaseUrl))
    throw invalid(['WORKERS: expected 1, since several processes cannot share the store at DATABASE_URL']);
  if (admin && collide(http, admin)) throw invalid(['ADMIN_PORT: PORT is the same: set another (0 picks a free one)']);
  return {
    http,
    admin,
    databaseUrl,
    databaseLimits: {
      ...(read.DATABASE_POOL_SIZE === undefined ? {} : { poolSize: read.DATABASE_POOL_SIZE }),
      ...(read.DATABASE_CONNECT_TIMEOUT_MS === undefined ? {} : { connectWithinMs: read.DATABASE_CONNECT_TIMEOUT_MS }),
      ...(read.DATABASE_TIMEOUT_MS === undefined ? {} : { timeoutMs: read.DATABASE_TIMEOUT_MS }),
      ...(read.DATABASE_MAX_WAIT_MS === undefined ? {} : { maxWaitMs: read.DATABASE_MAX_WAIT_MS }),
      ...(read.DATABASE_MAX_QUEUE_LENGTH === undefined ? {} : { maxWaiting: read.DATABASE_MAX_QUEUE_LENGTH }),
      ...(read.DATABASE_MAX_BATCH === undefined ? {} : { maxBatch: read.DATABASE_MAX_BATCH }),
      ...(read.DATABASE_MAX_WRITES === undefined ? {} : { maxWrites: read.DATABASE_MAX_WRITES }),
      ...(read.MIGRATE_LOCK_TIMEOUT_MS === undefined ? {} : { migrationLockTimeoutMs: read.MIGRATE_LOCK_TIMEOUT_MS }),
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
    adminMaxConnections: read.ADMIN_MAX_CONNECTIONS,
    adminAllowedHosts: [read.ADMIN_HOST, ...(read.ADMIN_ALLOWED_HOSTS ?? [])],
    requestsPerSecond: read.RATE_LIMIT_PER_SECOND,
    // No load balancer is in front of a developer's machine.
    shutdownDelayMs: read.SHUTDOWN_DELAY_MS ?? (production ? 3_000 : 0),
    docs: read.DOCS === 'on',
    logLevel: read.LOG_LEVEL,
    logBufferBytes: read.LOG_BUFFER_BYTES,
    production,
    warnings: url.warning ? [`DATABASE_URL: ${url.warning}`] : [],
  };
}

/** Whether the second listener would find the port taken by the first. Names are not looked up. */
function collide(one: Address, other: Address): boolean {
  const isEverywhere = ({ host }: Address, { host: which }: Address) =>
    host === '::' || (host === '0.0.0.0' && !which.includes(':'));
  return (
    one.port !== 0 &&
    one.port === other.port &&
    (one.host === other.host || isEverywhere(one, other) || isEverywhere(other, one))
  );
}

/**
 * Whether the environment is production, for a command that needs no more of the configuration.
 * @throws {ConfigError} if it is not clear.
 */
export function isProduction(environment: NodeJS.ProcessEnv): boolean {
  const { values, faults } = readSettings({ NODE_ENV: settings.NODE_ENV }, environment);
  if (faults.length > 0) throw invalid(faults);
  return values.NODE_ENV === PRODUCTION;
}

function invalid(faults: readonly string[]): ConfigError {
  return new ConfigError(`Invalid configuration:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
}
