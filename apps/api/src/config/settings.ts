import { z } from 'zod';
import { databaseUrlForms, isDatabaseUrl } from '../stores/engines.ts';
import { defaultDataDirectory } from './data-directory.ts';
import { maskedTokens, maskedUrl } from './masked.ts';
import { oneOf, type Settings, text, wholeNumber } from './setting.ts';

const port = wholeNumber(0, 65_535);

/**
 * Every setting of the service but those of JWTs (`jwt-settings.ts`): what is read here is what `--help`, `config` and
 * the table of the README show.
 */
export const settings = {
  HOST: { meaning: 'address of the public listener', ...text('a name or an address'), default: '127.0.0.1' },
  PORT: { meaning: 'its port; 0 picks a free one', ...port, default: '3000' },
  ADMIN_HOST: {
    meaning: "address of the operator's listener with /livez, /readyz and /metrics",
    ...text('a name or an address'),
    default: '127.0.0.1',
  },
  ADMIN_PORT: {
    meaning: 'its port; off switches it off',
    form: `${port.form}, or off`,
    value: z.union([z.literal('off'), port.value]),
    default: '3001',
  },
  DATABASE_URL: {
    meaning:
      'where plants are kept; for PostgreSQL several hosts may be named, postgres://a,b/…, and TLS asked for, ?sslmode=verify-full',
    form: databaseUrlForms,
    value: z.string().refine(isDatabaseUrl),
    unset: 'sqlite:<DATA_DIR>/plants.db',
    masked: maskedUrl,
  },
  DATA_DIR: {
    meaning: 'where the embedded store and the token that development makes are kept',
    ...text('a path'),
    default: defaultDataDirectory,
    unset: 'data in the repository',
  },
  DATABASE_POOL_SIZE: {
    meaning: 'the most connections to PostgreSQL, of each worker',
    ...wholeNumber(1, 10_000),
    unset: '10',
  },
  DATABASE_CONNECT_TIMEOUT_MS: {
    meaning: 'how long connecting may take, in milliseconds',
    ...wholeNumber(1, 600_000),
    unset: '1500',
  },
  DATABASE_ANSWER_TIMEOUT_MS: {
    meaning: 'how long storing a plant may take altogether before the caller gets a 503, in milliseconds',
    ...wholeNumber(1, 600_000),
    unset: '2000',
  },
  DATABASE_MAX_WAIT_MS: {
    meaning:
      'how long a plant may have to wait for its turn beyond what storing it takes, in milliseconds; where it would be longer, the answer is a 503 at once',
    ...wholeNumber(1, 600_000),
    unset: '200',
  },
  DATABASE_MAX_WAITING: {
    meaning: 'the most plants that wait for their turn; those beyond get a 503 at once',
    ...wholeNumber(1, 1_000_000),
    unset: '2000',
  },
  DATABASE_MAX_BATCH: {
    meaning: 'the most plants that are stored with one commit',
    ...wholeNumber(1, 10_000),
    unset: '500',
  },
  DATABASE_MAX_WRITES: {
    meaning: 'the most commits at once to PostgreSQL, of each worker',
    ...wholeNumber(1, 10_000),
    unset: '2',
  },
  MIGRATE: {
    meaning: 'auto migrates at start, off refuses to start on an old schema',
    ...oneOf('auto', 'off'),
    default: 'auto',
  },
  API_TOKENS: {
    meaning: 'accepted tokens',
    ...text('tokens with commas between them, each clear or sha256:<64 hex>'),
    unset: 'where no tokens are set, one that the first start makes',
    masked: maskedTokens,
  },
  API_TOKENS_FILE: {
    meaning: 'a file with tokens, one a line, # comments; re-read when it changes',
    ...text('a path'),
  },
  WORKERS: {
    meaning: 'how many processes serve on one port; a store in memory takes one',
    ...wholeNumber(1, 1_024),
    default: '1',
  },
  BODY_LIMIT: { meaning: 'the largest request body, in bytes', ...wholeNumber(1, 1_073_741_824), default: '1048576' },
  MAX_REQUESTS_IN_FLIGHT: {
    meaning: 'requests that a process reads and answers at once; those beyond get a 503 in milliseconds',
    ...wholeNumber(1, 1_000_000),
    default: '2000',
  },
  MAX_BODY_BYTES_IN_FLIGHT: {
    meaning:
      'bytes of bodies above 16 KiB that a process holds at once, at least BODY_LIMIT; those beyond get a 503, smaller ones never',
    ...wholeNumber(1, 1_099_511_627_776),
    default: '67108864',
  },
  MAX_CONNECTIONS: {
    meaning:
      'connections that a process has open at once; beyond them the one that is idle for the longest time makes room',
    ...wholeNumber(1, 1_000_000),
    default: '10000',
  },
  RATE_LIMIT_PER_SECOND: {
    meaning: 'requests a second that a process accepts with one token; those beyond get a 429',
    ...wholeNumber(1, 1_000_000),
    unset: 'no limit',
  },
  SHUTDOWN_DELAY_MS: {
    meaning:
      'how long it goes on serving after SIGTERM, not ready any more, for load balancers to turn away, in milliseconds',
    ...wholeNumber(0, 600_000),
    unset: '3000 in production, else 0',
  },
  DOCS: { meaning: 'whether /docs has a page to try the service', ...oneOf('on', 'off'), default: 'on' },
  LOG_LEVEL: {
    meaning: 'what is logged; JSON lines, readable ones on a terminal',
    ...oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
  },
  NODE_ENV: { meaning: 'production refuses to start without tokens', ...text('a word') },
} satisfies Settings;
