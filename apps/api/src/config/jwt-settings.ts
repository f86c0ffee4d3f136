import { jwtAlgorithms, MAX_CLOCK_SKEW_SECONDS, parseJwksUrl } from '@plant-store/adapters-tokens';
import { z } from 'zod';
import { maskedUrl } from './masked.ts';
import { type OptionsOf, optionsOf, readSettings, type Settings, text, textOf, wholeNumber } from './setting.ts';

/** The settings, undefined if no variable is set, and the faults. */
export interface JwtReading {
  readonly settings: JwtSettings | undefined;
  readonly faults: readonly string[];
}

const refreshSeconds = wholeNumber(1, 86_400);

/** The settings of an issuer's JWTs. */
export const jwtVariables = {
  JWT_ISSUER: {
    meaning: 'exact `iss` of accepted JWTs, a trailing `/` included',
    ...text('a string'),
    option: 'issuer',
  },
  JWT_AUDIENCE: {
    meaning: 'what `aud` must be or contain: the name of this service at the issuer',
    ...text('a string'),
    option: 'audience',
  },
  JWT_JWKS_URL: {
    meaning: 'where the issuer publishes its keys',
    form: 'https://… without a user and a password, or http://… on this machine (localhost, 127.0.0.1, [::1])',
    value: z
      .string()
      .refine(isJwksUrl)
      .transform((url) => parseJwksUrl(url).href),
    masked: maskedUrl,
    option: 'jwksUrl',
  },
  JWT_JWKS_FILE: {
    meaning: 'or a file with them, re-read within 2 s of a change',
    ...text('a path'),
    option: 'jwksFile',
  },
  JWT_ALGORITHMS: {
    meaning: 'accepted signature algorithms, comma-separated',
    form: `some of ${jwtAlgorithms.join(',')}`,
    value: z
      .string()
      .transform((list) => list.split(',').map((name) => name.trim()))
      .pipe(z.array(z.enum(jwtAlgorithms)))
      .transform((names) => jwtAlgorithms.filter((algorithm) => names.includes(algorithm))),
    unset: 'all but those with SHA-512',
    option: 'algorithms',
  },
  JWT_CLOCK_SKEW_SECONDS: {
    meaning: 'maximum clock skew between the issuer and this service',
    ...wholeNumber(0, MAX_CLOCK_SKEW_SECONDS),
    unset: '60',
    option: 'clockSkewSeconds',
  },
  JWT_REFRESH_SECONDS: {
    meaning: 'how often the keys at the URL are fetched, and so how long a revoked key stays trusted',
    ...refreshSeconds,
    value: refreshSeconds.value.transform((seconds) => seconds * 1_000),
    unset: '300',
    option: 'refreshMs',
  },
  JWT_TIMEOUT_MS: {
    meaning: 'timeout of such a fetch, and of a request that waits for it, in milliseconds',
    ...wholeNumber(1, 60_000),
    unset: '1500',
    option: 'timeoutMs',
  },
} as const satisfies Settings;

/** Which JWTs are accepted: those with exactly this `iss`, and an `aud` that is or contains this one. */
export type JwtSettings = OptionsOf<typeof jwtVariables> & { readonly issuer: string; readonly audience: string };

/** Reads the `JWT_` variables. */
export function readJwtSettings(environment: NodeJS.ProcessEnv): JwtReading {
  const named = Object.keys(jwtVariables).filter((name) => textOf(environment, name) !== undefined);
  if (named.length === 0) return { settings: undefined, faults: [] };

  const { values, faults: malformed } = readSettings(jwtVariables, environment);
  const faults = [...malformed, ...mismatches((name) => named.includes(name))];
  const { issuer = '', audience = '', ...others } = optionsOf(jwtVariables, values);
  return { settings: faults.length === 0 ? { issuer, audience, ...others } : undefined, faults };
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
