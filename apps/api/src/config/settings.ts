import { ADMIN_MAX_CONNECTIONS, httpLimits } from '@plant-store/adapters-http/limits';
import { serverLimits } from '@plant-store/store-kit';
import { z } from 'zod';
import { databaseUrlForms, isDatabaseUrl, type StoreLimits } from '../stores/index.ts';
import { defaultDataDirectory } from './data-directory.ts';
import { jwtVariables } from './jwt-settings.ts';
import { maskedTokens, maskedUrl } from './masked.ts';
import { oneOf, type Settings, text, wholeNumber } from './setting.ts';

const host = text('a host name or an IP address');
const port = wholeNumber(0, 65_535);

/** The value of `NODE_ENV` that switches protections on. */
export const PRODUCTION = 'production';

/** A limit of the store, as the stores declare it. Its default is the adapter's. */
function storeLimit<Name extends Exclude<keyof StoreLimits, 'dropAfterMs' | 'maxBatchSize'>>(name: Name) {
  const { min, settableTo, default: byDefault, meaning } = serverLimits[name];
  return { meaning, ...wholeNumber(min, settableTo), unset: String(byDefault), storeLimit: name };
}

/** A limit of a listener, whose default is the listener's. */
function httpLimit<Option extends string>(option: Option, byDefault: number, max: number, meaning: string, min = 1) {
  return { meaning, ...wholeNumber(min, max), default: String(byDefault), option };
}
const MANY = 1_000_000;
const HOUR_MS = 3_600_000;

const listeners = {
  HOST: { meaning: 'address of the public listener', ...host, default: '127.0.0.1' },
  PORT: { meaning: 'port of the public listener; 0 picks a free one', ...port, default: '3000' },
  ADMIN_HOST: {
    meaning: 'address of the admin listener with /livez, /readyz and /metrics',
    ...host,
    default: '127.0.0.1',
  },
  ADMIN_PORT: {
    meaning: 'port of the admin listener; off disables it',
    form: `${port.form}, or off`,
    value: z.union([z.literal('off'), port.value]),
    default: '3001',
  },
  ADMIN_MAX_CONNECTIONS: httpLimit(
    'adminMaxConnections',
    ADMIN_MAX_CONNECTIONS,
    MANY,
    'maximum open connections to the admin listener; those beyond it are closed immediately',
  ),
} as const satisfies Settings;

const store = {
  DATABASE_URL: {
    meaning:
      'where plants are stored; the URL of a server may require TLS, ?sslmode=verify-full or, for MySQL, ?ssl-mode=VERIFY_IDENTITY',
    // Read when it is needed: an adapter from outside adds its own.
    get form() {
      return databaseUrlForms();
    },
    value: z.string().refine(isDatabaseUrl),
    unset: 'sqlite:<DATA_DIR>/plants.db',
    masked: maskedUrl,
  },
  DATABASE_URL_FILE: {
    meaning: 'file with the URL, in place of DATABASE_URL; keeps its password out of the environment',
    ...text('a path'),
  },
  STORAGE_ADAPTER: {
    meaning:
      'npm package, or file, with a storage adapter of your own, whose URLs DATABASE_URL then may have; its code runs in the service',
    ...text('a package or a path that begins with ./ or /, as seen from the working directory'),
  },
  DATA_DIR: {
    meaning: 'directory of the embedded store and of the generated development token',
    ...text('a path'),
    default: defaultDataDirectory,
    unset: 'data in the repository',
    option: 'dataDirectory',
  },
  DATABASE_POOL_SIZE: storeLimit('poolSize'),
  DATABASE_CONNECT_TIMEOUT_MS: storeLimit('connectWithinMs'),
  DATABASE_TIMEOUT_MS: storeLimit('timeoutMs'),
  DATABASE_MAX_WAIT_MS: storeLimit('maxWaitMs'),
  DATABASE_MAX_QUEUE_LENGTH: storeLimit('maxWaiting'),
  DATABASE_MAX_BATCH: storeLimit('maxBatch'),
  DATABASE_MAX_WRITES: storeLimit('maxWrites'),
  MIGRATE: {
    meaning: 'auto migrates at startup; off refuses to start if the schema is out of date',
    ...oneOf('auto', 'off'),
    default: 'auto',
    option: 'migrate',
  },
  MIGRATE_LOCK_TIMEOUT_MS: storeLimit('migrationLockTimeoutMs'),
} as const satisfies Settings;

const tokens = {
  API_TOKENS: {
    meaning: 'accepted tokens',
    ...text('comma-separated tokens, each clear or sha256:<64 hex>'),
    unset: 'if no tokens are configured, one generated at the first start',
    masked: maskedTokens,
  },
  API_TOKENS_FILE: {
    meaning: 'file with accepted tokens, one per line, # comments; re-read when it changes',
    ...text('a path'),
    option: 'tokensFile',
  },
} as const satisfies Settings;

const limits = {
  BODY_LIMIT: httpLimit('bodyLimit', httpLimits.bodyLimit, 2 ** 30, 'maximum request body in bytes'),
  MAX_REQUESTS_IN_FLIGHT: httpLimit(
    'maxRequestsInFlight',
    httpLimits.maxRequestsInFlight,
    MANY,
    'maximum requests in flight; requests beyond it get a 503 immediately',
  ),
  MAX_CONNECTIONS: httpLimit(
    'maxConnections',
    httpLimits.maxConnections,
    MANY,
    'maximum open connections; those beyond it are closed immediately',
  ),
  KEEP_ALIVE_TIMEOUT_MS: httpLimit(
    'keepAliveTimeout',
    httpLimits.keepAliveTimeout,
    HOUR_MS,
    'how long an idle connection stays open, in milliseconds; longer than in the proxy in front',
    1_000,
  ),
  RATE_LIMIT_PER_SECOND: {
    meaning: 'maximum requests per second with one token,; requests beyond it get a 429',
    ...wholeNumber(1, MANY),
    unset: 'no limit',
    option: 'requestsPerSecond',
  },
} as const satisfies Settings;

const operation = {
  SHUTDOWN_DELAY_MS: {
    meaning:
      'delay of the graceful shutdown: after SIGTERM the service keeps serving while not ready, so that load balancers can drain it, in milliseconds',
    ...wholeNumber(0, 600_000),
    unset: '3000 in production, else 0',
  },
  DOCS: {
    meaning: 'whether /docs serves a page to try the service',
    ...oneOf('on', 'off'),
    unset: 'off in production, else on',
  },
  LOG_LEVEL: {
    meaning: 'log level; logs are JSON lines, or readable text on a terminal',
    ...oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    option: 'logLevel',
  },
  LOG_BUFFER_BYTES: {
    meaning: 'maximum bytes of the log that wait to be read; lines beyond it are dropped and counted',
    ...wholeNumber(65_536, 1_073_741_824),
    // 18,000 requests, nine seconds of 2,000 a second: longer than a log collector takes to restart.
    default: '4194304',
    option: 'logBufferBytes',
  },
  NODE_ENV: {
    meaning: 'production refuses to start without tokens, or with a database that is reached in plaintext',
    form: 'production, in exactly these letters, or another word',
    // One that is almost right would leave them off.
    value: z.string().refine((word) => word === PRODUCTION || word.trim().toLowerCase() !== PRODUCTION),
  },
} as const satisfies Settings;

/** Every setting except those for JWTs (`jwt-settings.ts`). */
export const settings = { ...listeners, ...store, ...tokens, ...limits, ...operation };

/**
 * Every setting by its group, in the order in which they are shown. `help environment`, `config` and the tables of the
 * documents are made from it.
 */
export const settingGroups: Readonly<Record<string, Settings>> = {
  Listeners: listeners,
  Store: store,
  Tokens: tokens,
  Limits: limits,
  Operation: operation,
  JWTs: jwtVariables,
};
