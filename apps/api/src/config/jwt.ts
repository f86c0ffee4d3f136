import type { Fault } from './setting.ts';
import { type Settings, settings } from './settings.ts';

/** The configuration of the JWT verifier. */
export interface JwtSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string | undefined;
  readonly jwksFile: string | undefined;
  readonly algorithms: Settings['JWT_ALGORITHMS'];
  readonly clockSkewSeconds: number;
}

/** The configuration of the JWT verifier; undefined if JWTs are not configured. */
export function jwtSettings(data: Settings): JwtSettings | undefined {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = data;
  if (issuer === undefined || audience === undefined) return undefined;
  return {
    issuer,
    audience,
    jwksUrl: data.JWT_JWKS_URL,
    jwksFile: data.JWT_JWKS_FILE,
    algorithms: data.JWT_ALGORITHMS,
    clockSkewSeconds: data.JWT_CLOCK_SKEW_SECONDS,
  };
}

/** The settings that are missing or contradictory, if any JWT setting is set. */
export function jwtFaults(environment: NodeJS.ProcessEnv): readonly Fault[] {
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
