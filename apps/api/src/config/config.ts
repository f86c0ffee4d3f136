import { join } from 'node:path';
import type { StorageAdapter, StoreLimits } from '@plant-store/store-kit';
import { errorMessage, invalid } from '../errors.ts';
import { printable } from '../printable.ts';
import { adapterFor } from '../stores/index.ts';
import { type JwtSettings, jwtFaults, jwtSettings } from './jwt.ts';
import { plaintextUrls } from './plaintext-urls.ts';
import { aboutOf, type Fault } from './setting.ts';
import { PRODUCTION, type Settings, settings } from './settings.ts';
import { unknownSettings } from './unknown-settings.ts';
import { withUrlFile } from './url-file.ts';

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

/**
 * Reads the configuration from environment variables. An empty one counts as not set.
 *
 * @param outside the adapter that `STORAGE_ADAPTER` names, loaded by `loadStorageAdapter`.
 * @throws {ConfigError} listing every faulty variable, with its value unless that may be a secret.
 */
export function readConfig(given: NodeJS.ProcessEnv, outside?: StorageAdapter): Config {
  const environment = withUrlFile(Object.fromEntries(Object.entries(given).filter(([, value]) => value)));
  const { data, error } = settings.safeParse(environment);
  const production = environment['NODE_ENV'] === PRODUCTION;
  const url =
    environment['DATABASE_URL'] ??
    `sqlite:${join(settings.shape.DATA_DIR.parse(environment['DATA_DIR']), 'plants.db')}`;
  const storageAdapter = adapterFor(url, outside);
  const checked = checkUrl(url, storageAdapter, environment);
  const plaintext = plaintextUrls(environment, checked.tlsAdvice);
  const faults = [
    ...(error?.issues ?? []).map(({ path: [name] }) => expected(String(name), environment)),
    ...checked.faults,
    ...jwtFaults(environment),
    ...(production ? plaintext : []),
    ...(data && collide(data) ? [['ADMIN_PORT', 'PORT is the same: set another (0 picks a free one)'] as const] : []),
  ];
  if (!data || faults.length > 0) throw invalid(inOrder(faults).map((fault) => fault.join(': ')));
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

/** What was expected and, unless it may be a secret, what was given, of a long text the beginning. */
function expected(name: string, environment: NodeJS.ProcessEnv): Fault {
  const about = aboutOf(settings.shape[name as keyof Settings]);
  const given = environment[name];
  const got = about.masked || given === undefined ? '' : `; got ${printable(JSON.stringify(given.slice(0, 60)))}`;
  return [name, `expected ${about.expected}${got}`];
}

/** Whether the URL can be used, and what to add to it if it leads to a store in plaintext. Nothing of it is repeated. */
function checkUrl(
  url: string,
  adapter: StorageAdapter | undefined,
  environment: NodeJS.ProcessEnv,
): { readonly faults: readonly Fault[]; readonly tlsAdvice?: string | undefined } {
  if (!adapter) return { faults: environment['STORAGE_ADAPTER'] ? [] : [expected('DATABASE_URL', environment)] };
  // What is behind it would become a part of the name of the file, or of the database.
  if (/[\r\n]/.test(url)) return { faults: [['DATABASE_URL', 'the URL has a line break; write one URL, on one line']] };
  try {
    return { faults: [], tlsAdvice: adapter.tlsAdvice?.(url) };
  } catch (error) {
    return { faults: [['DATABASE_URL', errorMessage(error)]] };
  }
}

/** In the order of the settings, as an operator knows them. */
function inOrder(faults: readonly Fault[]): readonly Fault[] {
  const names = Object.keys(settings.shape);
  return faults.toSorted(([one], [other]) => names.indexOf(one) - names.indexOf(other));
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
