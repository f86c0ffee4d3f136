import { type JwtAlgorithm, jwtAlgorithms, MAX_CLOCK_SKEW_SECONDS, parseJwksUrl } from '@plant-store/adapters-tokens';
import { z } from 'zod';
import { wholeNumber } from './whole-number.ts';

/** Which JWTs are accepted; what is left out is the adapter's to decide. */
export interface JwtSettings {
  /** What `iss` has to be, to the letter. */
  readonly issuer: string;
  /** What `aud` has to be or to contain. */
  readonly audience: string;
  /** Where the issuer's public keys are. */
  readonly keys: { readonly url: string } | { readonly file: string };
  readonly algorithms?: readonly JwtAlgorithm[];
  readonly clockSkewSeconds?: number;
  /** How often the keys at a URL are fetched, in milliseconds. */
  readonly refreshMs?: number;
  /** How long that may take, in milliseconds. */
  readonly timeoutMs?: number;
}

/** The settings, undefined where no variable is set; and what is wrong with which variable, values not repeated. */
export interface JwtReading {
  readonly settings: JwtSettings | undefined;
  readonly faults: readonly string[];
}

/** Reads the `JWT_` variables among those that are set. */
export function readJwtSettings(set: Readonly<Record<string, unknown>>): JwtReading {
  const named = Object.keys(variables.shape).filter((name) => set[name] !== undefined);
  if (named.length === 0) return { settings: undefined, faults: [] };

  const result = variables.safeParse(set);
  const malformed = result.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
  const faults = [...malformed, ...mismatches((name) => named.includes(name))];
  return { settings: result.data && faults.length === 0 ? settingsOf(result.data) : undefined, faults };
}

const variables = z.object({
  JWT_ISSUER: z.string().default(''),
  JWT_AUDIENCE: z.string().default(''),
  JWT_JWKS_URL: z
    .string()
    .transform((text, { addIssue }) => {
      try {
        return parseJwksUrl(text).href;
      } catch (error) {
        addIssue(error instanceof RangeError ? error.message : String(error));
        return z.NEVER;
      }
    })
    .optional(),
  JWT_JWKS_FILE: z.string().optional(),
  JWT_ALGORITHMS: z
    .string()
    .transform((text, { addIssue }) => {
      const names = text.split(',').map((name) => name.trim());
      const chosen = jwtAlgorithms.filter((algorithm) => names.includes(algorithm));
      if (chosen.length < new Set(names).size) addIssue(`expected some of ${jwtAlgorithms.join(',')}`);
      return chosen;
    })
    .optional(),
  JWT_CLOCK_SKEW_SECONDS: wholeNumber(0, MAX_CLOCK_SKEW_SECONDS).optional(),
  JWT_REFRESH_SECONDS: wholeNumber(1, 86_400).optional(),
  JWT_TIMEOUT_MS: wholeNumber(1, 60_000).optional(),
});

/** What is wrong with which variables are set, whatever is in them. */
function mismatches(isSet: (name: keyof typeof variables.shape) => boolean): string[] {
  const faults: string[] = [];
  if (!isSet('JWT_ISSUER')) faults.push('JWT_ISSUER: not set: set it to the "iss" of the tokens to accept');
  if (!isSet('JWT_AUDIENCE')) faults.push('JWT_AUDIENCE: not set: set it to the "aud" of the tokens for this service');
  if (!isSet('JWT_JWKS_URL') && !isSet('JWT_JWKS_FILE'))
    faults.push("JWT_JWKS_URL: not set: set it, or JWT_JWKS_FILE, to where the issuer's public keys are");
  if (isSet('JWT_JWKS_URL') && isSet('JWT_JWKS_FILE'))
    faults.push("JWT_JWKS_FILE: JWT_JWKS_URL is set as well: keep the one where the issuer's public keys are");
  return faults;
}

function settingsOf(read: z.infer<typeof variables>): JwtSettings {
  return {
    issuer: read.JWT_ISSUER,
    audience: read.JWT_AUDIENCE,
    keys: read.JWT_JWKS_URL === undefined ? { file: read.JWT_JWKS_FILE ?? '' } : { url: read.JWT_JWKS_URL },
    ...(read.JWT_ALGORITHMS === undefined ? {} : { algorithms: read.JWT_ALGORITHMS }),
    ...(read.JWT_CLOCK_SKEW_SECONDS === undefined ? {} : { clockSkewSeconds: read.JWT_CLOCK_SKEW_SECONDS }),
    ...(read.JWT_REFRESH_SECONDS === undefined ? {} : { refreshMs: read.JWT_REFRESH_SECONDS * 1_000 }),
    ...(read.JWT_TIMEOUT_MS === undefined ? {} : { timeoutMs: read.JWT_TIMEOUT_MS }),
  };
}
