import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StorageAdapter, StoreOptions } from '@plant-store/store-kit';
import { ConfigError } from './errors.ts';
import { describeSetting, type Settings, settings } from './settings.ts';
import { findAdapter, settableLimits } from './stores.ts';

/** The configuration: every setting by name, and the values derived from several settings. */
export interface Config extends Settings {
  readonly DATABASE_URL: string;
  readonly DOCS: 'on' | 'off';
  readonly SHUTDOWN_DELAY_MS: number;
  readonly storageAdapter: StorageAdapter;
  /** The limits of the adapter that can be set. */
  readonly storeLimits: Partial<StoreOptions>;
  /** `NODE_ENV=production`: no token is generated, and no secret leaves the machine in plaintext unless a URL says so. */
  readonly production: boolean;
  /** Warnings for the log about unsafe settings and settings without effect. */
  readonly warnings: readonly string[];
}

/** The requirements of a command. */
export interface Needs {
  /** The adapter of `STORAGE_ADAPTER`. */
  readonly outside?: StorageAdapter | undefined;
  /** Whether the command serves requests, which requires tokens in production. */
  readonly tokens?: boolean;
}

/**
 * Reads the configuration from environment variables. Empty ones count as not set.
 * @throws {ConfigError} that lists the invalid variables. It contains no values, because one may be a secret.
 */
export function readConfig(given: NodeJS.ProcessEnv, { outside, tokens = false }: Needs = {}): Config {
  const environment = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  const { data, error } = settings.safeParse(environment);
  if (!data) {
    const names = new Set(error.issues.map(({ path }) => String(path[0])));
    throw invalid([...names].map((name) => `${name}: expected ${describeSetting(name).expected}`));
  }
  const production = data.NODE_ENV === 'production';
  const { DATABASE_URL = readUrl(data.DATABASE_URL_FILE) } = data;
  const url = DATABASE_URL ?? `sqlite:${join(data.DATA_DIR, 'plants.db')}`;
  const urlSetting = data.DATABASE_URL_FILE ? 'DATABASE_URL_FILE' : 'DATABASE_URL';
  const storageAdapter = findAdapter(url, outside);
  const tlsAdvice = storageAdapter && readTlsAdvice(storageAdapter, url, urlSetting);
  const plaintext = `${urlSetting}: the connection is not encrypted, so the password and the plants can be read on the way: add ${tlsAdvice}`;
  const isJwt = Object.keys(environment).some((name) => name.startsWith('JWT_') && name in settings.shape);
  const rows: readonly (readonly [isFound: unknown, fault: string])[] = [
    [!storageAdapter, `${urlSetting}: expected ${describeSetting('DATABASE_URL').expected}`],
    [
      production && DATABASE_URL === undefined,
      'DATABASE_URL: not set: in production name the store, because a default would be lost with its container',
    ],
    [data.DATABASE_URL && data.DATABASE_URL_FILE, 'DATABASE_URL_FILE: DATABASE_URL is set, too; set one of them'],
    [production && tlsAdvice, plaintext],
    [
      tokens && production && !data.API_TOKENS && !data.API_TOKENS_FILE && !isJwt,
      'API_TOKENS: no tokens are configured: set it, API_TOKENS_FILE or JWT_ISSUER; plant-store token new makes a token',
    ],
    [isJwt && !data.JWT_ISSUER, 'JWT_ISSUER: not set: set it to the "iss" of the tokens to accept'],
    [isJwt && !data.JWT_AUDIENCE, 'JWT_AUDIENCE: not set: set it to the "aud" of the tokens for this service'],
    [
      isJwt && !data.JWT_JWKS_URL === !data.JWT_JWKS_FILE,
      "JWT_JWKS_URL: set it, or JWT_JWKS_FILE, to where the issuer's public keys are, and only one of them",
    ],
  ];
  const faults = rows.flatMap(([isFound, fault]) => (isFound ? [fault] : []));
  if (!storageAdapter || faults.length > 0) throw invalid(faults);
  return {
    ...data,
    DATABASE_URL: url,
    DOCS: data.DOCS ?? (production ? 'off' : 'on'),
    // A developer's machine has no load balancer.
    SHUTDOWN_DELAY_MS: data.SHUTDOWN_DELAY_MS ?? (production ? 3_000 : 0),
    storageAdapter,
    storeLimits: readLimits(storageAdapter, data),
    production,
    warnings: [...(tlsAdvice ? [plaintext] : []), ...unknownSettings(environment)],
  };
}

function invalid(faults: readonly string[]): ConfigError {
  return new ConfigError(`Invalid configuration:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
}

/** Reads a file with one URL, which keeps its password out of the environment and out of process lists. */
function readUrl(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`DATABASE_URL_FILE: cannot read ${path} (${(error as NodeJS.ErrnoException).code})`);
  }
}

function readTlsAdvice({ tlsAdvice }: StorageAdapter, url: string, setting: string): string | undefined {
  try {
    return tlsAdvice?.(url);
  } catch (error) {
    throw new ConfigError(`${setting}: ${(error as Error).message}`);
  }
}

function readLimits(adapter: StorageAdapter, data: Settings): Partial<StoreOptions> {
  const values: Readonly<Record<string, unknown>> = data;
  return Object.fromEntries(settableLimits(adapter).map(({ option, name }) => [option, values[name]]));
}

/** Warns about variables that begin as a setting does, such as `DATABASE_`, but are none. */
function unknownSettings(environment: NodeJS.ProcessEnv): readonly string[] {
  // `verify` reads API_TOKEN, and every program NODE_OPTIONS.
  const known = [...Object.keys(settings.shape), 'API_TOKEN'];
  const prefixes = known.filter((name) => /^(?!NODE_).+_/.test(name)).map((name) => name.replace(/_.*/s, '_'));
  return Object.keys(environment)
    .filter((name) => !known.includes(name) && prefixes.some((prefix) => name.startsWith(prefix)))
    .map((name) => `${name}: unknown setting, ignored; see plant-store help environment`);
}

/** A URL without what may be a secret: the user, the password and the query. */
export function maskedUrl(text: string): string {
  const { protocol = '', host = '', pathname = '@' } = URL.parse(text) ?? {};
  return pathname.includes('@') ? '***' : `${protocol}${host && `//${host}`}${pathname}`;
}
