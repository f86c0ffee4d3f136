import { join } from 'node:path';
import { invalid } from '../errors.ts';
import { checkDatabaseUrl, faultOfStorageAdapter } from '../stores/index.ts';
import { type JwtSettings, readJwtSettings } from './jwt-settings.ts';
import { type OptionsOf, optionsOf, readSettings } from './setting.ts';
import { PRODUCTION, settings } from './settings.ts';
import { allSettings } from './settings-text.ts';
import { unknownSettings } from './unknown-settings.ts';
import { withUrlFile } from './url-file.ts';

/** The configuration, read from environment variables by {@link readConfig}. Settings with an `option` are as they are. */
export interface Config extends OptionsOf<typeof settings> {
  /** The public listener. */
  readonly http: Address;
  /** The admin listener; undefined if disabled. */
  readonly admin: Address | undefined;
  /** Where plants are stored: a URL of one of the engines in `stores/`. */
  readonly databaseUrl: string;
  /** Limits of the store that are set; the adapters have the defaults. */
  readonly databaseLimits: OptionsOf<typeof settings, 'storeLimit'>;
  /** Accepted tokens as given: comma-separated, each clear or `sha256:<64 hex>`. */
  readonly tokens: string;
  /** The JWTs that are accepted too, if any. */
  readonly jwt: JwtSettings | undefined;
  /** How long the service keeps serving after SIGTERM while not ready, in milliseconds. */
  readonly shutdownDelayMs: number;
  /** Whether `/docs` serves a page to try the operation. */
  readonly docs: boolean;
  /** `NODE_ENV=production`: no token is generated, and no store is reached in plaintext unless the URL says so. */
  readonly production: boolean;
  /** What is unsafe or has no effect, for the log. */
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
 * @throws {ConfigError} listing every faulty variable, with what it is unless that may be a secret.
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
  if (admin && collide(http, admin)) throw invalid(['ADMIN_PORT: PORT is the same: set another (0 picks a free one)']);
  return {
    ...optionsOf(settings, read),
    http,
    admin,
    databaseUrl,
    databaseLimits: optionsOf(settings, read, 'storeLimit'),
    tokens: read.API_TOKENS ?? '',
    jwt: jwt.settings,
    // No load balancer is in front of a developer's machine.
    shutdownDelayMs: read.SHUTDOWN_DELAY_MS ?? (production ? 3_000 : 0),
    docs: (read.DOCS ?? (production ? 'off' : 'on')) === 'on',
    production,
    warnings: [
      ...(url.warning ? [`DATABASE_URL: ${url.warning}`] : []),
      ...unknownSettings(given, Object.keys(allSettings)),
    ],
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
