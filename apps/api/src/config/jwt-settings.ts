import { type JwtAlgorithm, jwtAlgorithms, MAX_CLOCK_SKEW_SECONDS, parseJwksUrl } from '@plant-store/adapters-tokens';
import { z } from 'zod';
import { maskedUrl } from './masked.ts';
import { readSettings, type Settings, text, textOf, type ValuesOf, wholeNumber } from './setting.ts';

/** Which JWTs are accepted. The adapter has the defaults. */
export interface JwtSettings {
  /** The exact `iss`. */
  readonly issuer: string;
  /** `aud` is or contains it. */
  readonly audience: string;
  /** Where the issuer's public keys are. */
  readonly keys: { readonly url: string } | { readonly file: string };
  readonly algorithms?: readonly JwtAlgorithm[];
  readonly clockSkewSeconds?: number;
  /** Interval between fetches of the keys at a URL, in milliseconds. */
  readonly refreshMs?: number;
  /** Timeout of a fetch, in milliseconds. */
  readonly timeoutMs?: number;
}

/** The settings, undefined if no variable is set, and the faults. */
export interface JwtReading {
  readonly settings: JwtSettings | undefined;
  readonly faults: readonly string[];
}

/** The settings of an issuer's JWTs. */
export const jwtVariables = {
  JWT_ISSUER: { meaning: 'exact `iss` of accepted JWTs, a trailing `/` included', ...text('a string') },
  JWT_AUDIENCE: {
    meaning: 'what `aud` must be or contain: the name of this service at the issuer',
    ...text('a string'),
  },
  JWT_JWKS_URL: {
    meaning: 'where the issuer publishes its keys',
    form: 'https://… without a user and a password, or http://… on this machine (localhost, 127.0.0.1, [::1])',
    value: z
      .string()
      .refine(isJwksUrl)
      .transform((url) => parseJwksUrl(url).href),
    masked: maskedUrl,
  },
  JWT_JWKS_FILE: { meaning: 'or a file with them, re-read within 2 s of a change', ...text('a path') },
  JWT_ALGORITHMS: {
    meaning: 'accepted signature algorithms, comma-separated',
    form: `some of ${jwtAlgorithms.join(',')}`,
    value: z
      .string()
      .transform((list) => list.split(',').map((name) => name.trim()))
      .pipe(z.array(z.enum(jwtAlgorithms)))
      .transform((names) => jwtAlgorithms.filter((algorithm) => names.includes(algorithm))),
    unset: 'all of them',
  },
  JWT_CLOCK_SKEW_SECONDS: {
    meaning: 'maximum clock skew between the issuer and this service',
    ...wholeNumber(0, MAX_CLOCK_SKEW_SECONDS),
    unset: '60',
  },
  JWT_REFRESH_SECONDS: {
    meaning: 'how often the keys at the URL are fetched, and so how long a revoked key stays trusted',
    ...wholeNumber(1, 86_400),
    unset: '300',
  },
  JWT_TIMEOUT_MS: {
    meaning: 'timeout of such a fetch, and of a request that waits for it, in milliseconds',
    ...wholeNumber(1, 60_000),
    unset: '1500',
  },
} satisfies Settings;

/** Reads the `JWT_` variables. */
export function readJwtSettings(environment: NodeJS.ProcessEnv): JwtReading {
  const named = Object.keys(jwtVariables).filter((name) => textOf(environment, name) !== undefined);
  if (named.length === 0) return { settings: undefined, faults: [] };

  const { values, faults: malformed } = readSettings(jwtVariables, environment);
  const faults = [...malformed, ...mismatches((name) => named.includes(name))];
  return { settings: faults.length === 0 ? settingsOf(values) : undefined, faults };
}

function isJwksUrl(url: string): boolean {
  try {
    return parseJwksUrl(url) !== undefined;
  } catch {
    return false;
  }
}

/** Faults in the combination of variables that are set. */
function mismatches(isSet: (name: keyof typeof jwtVariables) => boolean): string[] {
  const faults: string[] = [];
  if (!isSet('JWT_ISSUER')) faults.push('JWT_ISSUER: not set: set it to the "iss" of the tokens to accept');
  if (!isSet('JWT_AUDIENCE')) faults.push('JWT_AUDIENCE: not set: set it to the "aud" of the tokens for this service');
  if (!isSet('JWT_JWKS_URL') && !isSet('JWT_JWKS_FILE'))
    faults.push("JWT_JWKS_URL: not set: set it, or JWT_JWKS_FILE, to where the issuer's public keys are");
  if (isSet('JWT_JWKS_URL') && isSet('JWT_JWKS_FILE'))
    faults.push('JWT_JWKS_FILE: JWT_JWKS_URL is also set: keep only one of them');
  return faults;
}

function settingsOf(read: ValuesOf<typeof jwtVariables>): JwtSettings {
  return {
    issuer: read.JWT_ISSUER ?? '',
    audience: read.JWT_AUDIENCE ?? '',
    keys: read.JWT_JWKS_URL === undefined ? { file: read.JWT_JWKS_FILE ?? '' } : { url: read.JWT_JWKS_URL },
    ...(read.JWT_ALGORITHMS === undefined ? {} : { algorithms: read.JWT_ALGORITHMS }),
    ...(read.JWT_CLOCK_SKEW_SECONDS === undefined ? {} : { clockSkewSeconds: read.JWT_CLOCK_SKEW_SECONDS }),
    ...(read.JWT_REFRESH_SECONDS === undefined ? {} : { refreshMs: read.JWT_REFRESH_SECONDS * 1_000 }),
    ...(read.JWT_TIMEOUT_MS === undefined ? {} : { timeoutMs: read.JWT_TIMEOUT_MS }),
  };
}
