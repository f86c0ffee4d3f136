import { join } from 'node:path';
import { parseTokenList } from '@plant-store/adapters-tokens';
import type { StorageAdapter, StoreOptions } from '@plant-store/store-kit';
import type { z } from 'zod';
import { ConfigError, errorMessage } from '../errors.ts';
import { printable } from '../printable.ts';
import { adapterFor, limitsOf } from '../stores/index.ts';
import { type Fault, metadataOf } from './setting.ts';
import { PRODUCTION, type Settings, settings, unknownSettings } from './settings.ts';
import { plaintextUrls, readUrlFile } from './urls.ts';

/** The configuration: every setting by name, and the values derived from several settings. */
export interface Config extends Settings {
  readonly DATABASE_URL: string;
  readonly DOCS: 'on' | 'off';
  readonly SHUTDOWN_DELAY_MS: number;
  /** The adapter of `DATABASE_URL`; undefined if the URL belongs to an adapter of `STORAGE_ADAPTER` that was not loaded. */
  readonly storageAdapter: StorageAdapter | undefined;
  /** The limits of the adapter that can be set. */
  readonly storeLimits: Partial<StoreOptions>;
  /** `NODE_ENV=production`: no token is generated, and no secret leaves the machine in plaintext unless a URL says so. */
  readonly production: boolean;
  /** Warnings for the log about unsafe settings and settings without effect. */
  readonly warnings: readonly string[];
}

/** The requirements of a command. */
export interface Needs {
  /** The result of `loadStorageAdapter`. */
  readonly outside?: StorageAdapter | ConfigError | undefined;
  /** Whether the command serves requests, which requires tokens in production. */
  readonly tokens?: boolean;
}

/**
 * Reads the configuration from environment variables. Empty ones count as not set.
 * @throws {ConfigError} that lists every invalid variable, with its value unless that may be a secret.
 */
export function readConfig(given: NodeJS.ProcessEnv, { outside, tokens = false }: Needs = {}): Config {
  const faults: Fault[] = [];
  /** Returns what `read` returns; undefined if it throws, with its message as a fault of the setting. */
  const attempt = <Value>(name: string, read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (error) {
      faults.push([name, errorMessage(error)]);
    }
  };

  const environment = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  const { data, error } = settings.safeParse(environment);
  for (const { path } of error?.issues ?? []) faults.push(invalidValue(String(path[0]), environment));
  const production = environment['NODE_ENV'] === PRODUCTION;

  if (production && !environment['DATABASE_URL'] && !environment['DATABASE_URL_FILE'])
    faults.push([
      'DATABASE_URL',
      'not set: in production name the store, because a default would be lost with its container',
    ]);
  const url = attempt('DATABASE_URL_FILE', () => storeUrl(environment)) ?? '';
  const adapter = outside instanceof ConfigError ? undefined : outside;
  if (outside instanceof ConfigError) faults.push(['STORAGE_ADAPTER', outside.message]);
  const storageAdapter = adapterFor(url, adapter);
  if (url && !storageAdapter && (adapter || !environment['STORAGE_ADAPTER']))
    faults.push(invalidValue('DATABASE_URL', environment));
  const tlsAdvice = attempt('DATABASE_URL', () => {
    // The rest would become part of the file or database name.
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
  const { data: listeners } = listenerSettings.safeParse(environment);
  if (listeners && portsCollide(listeners))
    faults.push(['ADMIN_PORT', 'PORT is the same: set another (0 picks a free one)']);

  if (!data || faults.length > 0) throw invalid(faults);
  return {
    ...data,
    DATABASE_URL: url,
    DOCS: data.DOCS ?? (production ? 'off' : 'on'),
    // A developer's machine has no load balancer.
    SHUTDOWN_DELAY_MS: data.SHUTDOWN_DELAY_MS ?? (production ? 3_000 : 0),
    storageAdapter,
    storeLimits: storageAdapter ? storeLimits(storageAdapter, data) : {},
    production,
    warnings: [...plaintext.map((warning) => warning.join(': ')), ...unknownSettings(given)],
  };
}

/** An error that lists the faults, one per line, in the order of the settings. */
function invalid(faults: readonly Fault[]): ConfigError {
  const names = [...Object.keys(settings.shape), ...faults.map(([name]) => name)];
  const inOrder = faults.toSorted(([one], [other]) => names.indexOf(one) - names.indexOf(other));
  return new ConfigError(`Invalid configuration:\n${inOrder.map((fault) => `  ${fault.join(': ')}`).join('\n')}`);
}

/** The fault of an invalid value: what is expected and, unless it may be a secret, the first 60 characters of the value. */
function invalidValue(name: string, environment: NodeJS.ProcessEnv): Fault {
  const about = metadataOf(settings.shape[name as keyof Settings]);
  const given = environment[name];
  const got = about.masked || given === undefined ? '' : `; got ${printable(JSON.stringify(given.slice(0, 60)))}`;
  return [name, `expected ${about.expected}${got}`];
}

/**
 * The URL of the store, without surrounding white space, such as the line break of `echo`.
 * @throws {Error} if two are set, or the file cannot be read or does not contain exactly one URL.
 */
function storeUrl({ DATABASE_URL: url, DATABASE_URL_FILE: path, DATA_DIR }: NodeJS.ProcessEnv): string {
  if (path && url) throw new Error('DATABASE_URL is set, too; set one of them');
  if (path) return readUrlFile(path);
  return url ? url.trim() || url : `sqlite:${join(DATA_DIR ?? settings.shape.DATA_DIR.parse(undefined), 'plants.db')}`;
}

function storeLimits(adapter: StorageAdapter, data: Settings): Partial<StoreOptions> {
  const values: Readonly<Record<string, unknown>> = { ...data };
  const limits = Object.entries(limitsOf(adapter)).flatMap(([name, { setting }]) =>
    setting ? [[name, values[setting.name]]] : [],
  );
  return Object.fromEntries(limits);
}

/** The settings that are missing or contradictory, if any JWT setting is set. */
function jwtFaults(environment: NodeJS.ProcessEnv): readonly Fault[] {
  const names = Object.keys(settings.shape).filter((name) => name.startsWith('JWT_'));
  if (!names.some((name) => environment[name])) return [];
  const { JWT_ISSUER, JWT_AUDIENCE, JWT_JWKS_URL, JWT_JWKS_FILE } = environment;
  const faults: Fault[] = [];
  if (!JWT_ISSUER) faults.push(['JWT_ISSUER', 'not set: set it to the "iss" of the tokens to accept']);
  if (!JWT_AUDIENCE) faults.push(['JWT_AUDIENCE', 'not set: set it to the "aud" of the tokens for this service']);
  if (!JWT_JWKS_URL && !JWT_JWKS_FILE)
    faults.push(['JWT_JWKS_URL', "not set: set it, or JWT_JWKS_FILE, to where the issuer's public keys are"]);
  if (JWT_JWKS_URL && JWT_JWKS_FILE) faults.push(['JWT_JWKS_FILE', 'JWT_JWKS_URL is also set: keep only one of them']);
  return faults;
}

/** They can be compared although another setting is faulty. */
const listenerSettings = settings.pick({ HOST: true, PORT: true, ADMIN_HOST: true, ADMIN_PORT: true });

/** Whether both listeners would use the same port. Host names are not resolved. */
function portsCollide({ HOST, PORT, ADMIN_HOST, ADMIN_PORT }: z.infer<typeof listenerSettings>): boolean {
  const isWildcard = (host: string, which: string) => host === '::' || (host === '0.0.0.0' && !which.includes(':'));
  const overlap = HOST === ADMIN_HOST || isWildcard(HOST, ADMIN_HOST) || isWildcard(ADMIN_HOST, HOST);
  return PORT !== 0 && PORT === ADMIN_PORT && overlap;
}
