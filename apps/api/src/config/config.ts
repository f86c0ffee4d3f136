import { join } from 'node:path';
import { parseTokenList } from '@plant-store/adapters-tokens';
import type { StorageAdapter, StoreLimits } from '@plant-store/store-kit';
import { ConfigError, errorMessage } from '../errors.ts';
import { printable } from '../printable.ts';
import { adapterFor } from '../stores/index.ts';
import { type JwtSettings, jwtFaults, jwtSettings } from './jwt.ts';
import { plaintextUrls } from './plaintext-urls.ts';
import { aboutOf, type Fault } from './setting.ts';
import { PRODUCTION, type Settings, settings } from './settings.ts';
import { unknownSettings } from './unknown-settings.ts';
import { readUrlFile } from './url-file.ts';

/** The configuration: every setting by its name, and what follows from several of them. */
export interface Config extends Settings {
  readonly DATABASE_URL: string;
  readonly DOCS: 'on' | 'off';
  readonly SHUTDOWN_DELAY_MS: number;
  /** The adapter of `DATABASE_URL`; undefined if that is for the one that `STORAGE_ADAPTER` names, and that was not loaded. */
  readonly storageAdapter: StorageAdapter | undefined;
  readonly storeLimits: StoreLimits;
  /** Which JWTs are accepted, if any. */
  readonly jwt: JwtSettings | undefined;
  /** `NODE_ENV=production`: no token is generated, and no secret leaves the machine in plaintext unless a URL says so. */
  readonly production: boolean;
  /** What is unsafe or has no effect, for the log. */
  readonly warnings: readonly string[];
}

/** What a command needs of the configuration. */
export interface Needs {
  /** The adapter that `STORAGE_ADAPTER` names, or why it cannot be used, from `loadStorageAdapter`. */
  readonly outside?: StorageAdapter | ConfigError | undefined;
  /** Whether requests are served, which needs tokens in production. */
  readonly tokens?: boolean;
}

/**
 * Reads the configuration from environment variables. An empty one counts as not set.
 * @throws {ConfigError} listing every faulty variable, with its value unless that may be a secret.
 */
export function readConfig(given: NodeJS.ProcessEnv, { outside, tokens = false }: Needs = {}): Config {
  const faults: Fault[] = [];
  /** What can be read; otherwise undefined, and a fault of the setting. */
  const attempt = <Value>(name: string, read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (error) {
      faults.push([name, errorMessage(error)]);
    }
  };

  const environment = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  const { data, error } = settings.safeParse(environment);
  for (const { path } of error?.issues ?? []) faults.push(expected(String(path[0]), environment));
  const production = environment['NODE_ENV'] === PRODUCTION;

  const url = attempt('DATABASE_URL_FILE', () => urlOf(environment)) ?? '';
  const adapter = outside instanceof ConfigError ? undefined : outside;
  if (outside instanceof ConfigError) faults.push(['STORAGE_ADAPTER', outside.message]);
  const storageAdapter = adapterFor(url, adapter);
  if (url && !storageAdapter && (adapter || !environment['STORAGE_ADAPTER']))
    faults.push(expected('DATABASE_URL', environment));
  const tlsAdvice = attempt('DATABASE_URL', () => {
    // What is behind it would become a part of the name of the file, or of the database.
    if (storageAdapter && /[\r\n]/.test(url)) throw new Error('the URL has a line break; write one URL, on one line');
    return storageAdapter?.tlsAdvice?.(url);
  });
  const plaintext = plaintextUrls(environment, tlsAdvice);
  if (production) faults.push(...plaintext);

  const { API_TOKENS, API_TOKENS_FILE } = environment;
  if (API_TOKENS) attempt('API_TOKENS', () => parseTokenList(API_TOKENS));
  faults.push(...jwtFaults(environment));
  if (tokens && production && !API_TOKENS && !API_TOKENS_FILE && !environment['JWT_ISSUER'])
    faults.push([
      'API_TOKENS',
      'no tokens are configured: set it, API_TOKENS_FILE or JWT_ISSUER; plant-store token new makes a token',
    ]);
  if (data && collide(data)) faults.push(['ADMIN_PORT', 'PORT is the same: set another (0 picks a free one)']);

  if (!data || faults.length > 0) throw invalid(faults);
  return {
    ...data,
    DATABASE_URL: url,
    DOCS: data.DOCS ?? (production ? 'off' : 'on'),
    // No load balancer is in front of a developer's machine.
    SHUTDOWN_DELAY_MS: data.SHUTDOWN_DELAY_MS ?? (production ? 3_000 : 0),
    storageAdapter,
    storeLimits: storeLimits(data),
    jwt: jwtSettings(data),
    production,
    warnings: [...plaintext.map((warning) => warning.join(': ')), ...unknownSettings(given)],
  };
}

/** The faults, one a line, in the order of the settings, as an operator knows them. */
function invalid(faults: readonly Fault[]): ConfigError {
  const names = [...Object.keys(settings.shape), ...faults.map(([name]) => name)];
  const inOrder = faults.toSorted(([one], [other]) => names.indexOf(one) - names.indexOf(other));
  return new ConfigError(`Invalid configuration:\n${inOrder.map((fault) => `  ${fault.join(': ')}`).join('\n')}`);
}

/** What was expected and, unless it may be a secret, what was given, of a long text the beginning. */
function expected(name: string, environment: NodeJS.ProcessEnv): Fault {
  const about = aboutOf(settings.shape[name as keyof Settings]);
  const given = environment[name];
  const got = about.masked || given === undefined ? '' : `; got ${printable(JSON.stringify(given.slice(0, 60)))}`;
  return [name, `expected ${about.expected}${got}`];
}

/**
 * The URL of the store, without white space around it, which a secret that was written with `echo` ends with.
 * @throws {Error} if two are set, or the file cannot be read or has not one URL.
 */
function urlOf({ DATABASE_URL: url, DATABASE_URL_FILE: path, DATA_DIR }: NodeJS.ProcessEnv): string {
  if (path && url) throw new Error('DATABASE_URL is set, too; set one of them');
  if (path) return readUrlFile(path);
  return url ? url.trim() || url : `sqlite:${join(DATA_DIR ?? settings.shape.DATA_DIR.parse(undefined), 'plants.db')}`;
}

function storeLimits(data: Settings): StoreLimits {
  return {
    poolSize: data.DATABASE_POOL_SIZE,
    connectWithinMs: data.DATABASE_CONNECT_TIMEOUT_MS,
    timeoutMs: data.DATABASE_TIMEOUT_MS,
    maxWaitMs: data.DATABASE_MAX_WAIT_MS,
    maxWaiting: data.DATABASE_MAX_QUEUE_LENGTH,
    maxBatch: data.DATABASE_MAX_BATCH,
    maxWrites: data.DATABASE_MAX_WRITES,
    migrationLockTimeoutMs: data.MIGRATE_LOCK_TIMEOUT_MS,
  };
}

/** Whether the second listener would find the port taken by the first. Names are not looked up. */
function collide({ HOST, PORT, ADMIN_HOST, ADMIN_PORT }: Settings): boolean {
  const isEverywhere = (host: string, which: string) => host === '::' || (host === '0.0.0.0' && !which.includes(':'));
  const overlap = HOST === ADMIN_HOST || isEverywhere(HOST, ADMIN_HOST) || isEverywhere(ADMIN_HOST, HOST);
  return PORT !== 0 && PORT === ADMIN_PORT && overlap;
}
