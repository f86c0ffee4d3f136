/**
 * The driven port that decides whose requests are let in. Each clause is checked, under the same number, by the
 * TokenVerifier contract in `@plant-store/contracts-tokens`. One marked with a name in brackets binds the verifiers that
 * promise it in their {@link VerifierCapabilities}.
 *
 * - **TV-1** A token that was issued MUST be accepted, as often as it is presented.
 * - **TV-2** Any other text MUST be refused: the empty one, a prefix, an extension, another case, a token with white
 *   space around it, the stored digest of a token.
 * - **TV-3** Several tokens MUST be accepted side by side, so that they can be rotated.
 * - **TV-4** A refused token MUST be answered, not thrown: throwing means that the verifier itself cannot answer.
 * - **TV-5** The subject MUST NOT be the token, and MUST NOT contain it: it goes to logs. So does the reason of a refusal,
 *   which MUST NOT contain what was presented.
 * - **TV-6** [`external`] While it cannot be known whether a token is good, {@link VerifierUnavailable} MUST be thrown
 *   within {@link VerifierCapabilities.timeoutMs}, and nothing else; a verdict that what is known already allows MUST be
 *   right. Once it can be known again, tokens MUST be verified again without anybody's help.
 */
export interface TokenVerifier {
  /**
   * @param token the credentials of `Authorization: Bearer` (RFC 6750 section 2.1), as received.
   * @throws {VerifierUnavailable} when it cannot be known whether the token is good.
   */
  verify(token: string): Promise<TokenVerdict>;
}

/** Accepted, with a name for the caller that is safe to log; or refused. */
export type TokenVerdict = { readonly accepted: true; readonly subject: string } | RefusedToken;

/** A token is refused. The caller is told that and no more. */
export interface RefusedToken {
  readonly accepted: false;
  /** Why, where the verifier can say, for the operator's log: its own words, nothing that the token says. */
  readonly reason?: string;
}

/** What a verifier promises beyond the clauses that bind every one; its manifest. */
export interface VerifierCapabilities {
  /** The verifier depends on something outside the process that can fail to answer, such as a server with its keys. */
  readonly external: boolean;
  /** The longest time, in milliseconds, until a token is answered or `verify` throws, with default settings. */
  readonly timeoutMs: number;
}

/** The verifier cannot answer, for example because its keys are out of reach. Asking again later may help. */
export class VerifierUnavailable extends Error {
  override readonly name = 'VerifierUnavailable';
}
