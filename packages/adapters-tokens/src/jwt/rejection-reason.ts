import { errors } from 'jose';

/**
 * Why jose did not verify a token, for the operator's log, in our own words: its errors contain claims. Nothing of the
 * token is in it, not even its `kid`, which anybody can write.
 */
export function rejectionReason(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed) return reasonOfClaim(error.claim, error.reason);
  const known = error instanceof errors.JOSEError ? reasons[error.code] : undefined;
  return known ?? "the issuer's key cannot be used: too short, or not a public one";
}

const reasons: Readonly<Record<string, string>> = {
  [errors.JWTExpired.code]: 'expired (exp)',
  [errors.JOSEAlgNotAllowed.code]: 'its algorithm (alg) is not accepted',
  [errors.JWKSNoMatchingKey.code]: 'the issuer has no such key (kid, alg)',
  [errors.JWKSMultipleMatchingKeys.code]: 'it names no key (kid), and several keys of the issuer match',
  [errors.JWSSignatureVerificationFailed.code]: 'wrong signature',
  [errors.JOSENotSupported.code]: 'an unknown extension (crit)',
  [errors.JWSInvalid.code]: 'malformed',
  [errors.JWTInvalid.code]: 'malformed',
};

function reasonOfClaim(claim: string, failure: string): string {
  if (failure === 'missing') return `${claim} is missing`;
  if (failure === 'invalid') return `${claim} is malformed`;
  return mismatches[claim] ?? `${claim} is wrong`;
}

const mismatches: Readonly<Record<string, string>> = {
  iss: 'another issuer (iss)',
  aud: 'for another audience (aud)',
  nbf: 'not valid yet (nbf)',
};
