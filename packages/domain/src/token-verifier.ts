/**
 * The driven port that authenticates clients. The TokenVerifier contract in `@plant-store/contracts-tokens` checks each
 * clause under the same number. A clause with a name in brackets binds the verifiers that have this
 * {@link VerifierCapabilities | capability}.
 *
 * - **TV-1** An issued token MUST be accepted, as often as it is presented.
 * - **TV-2** Any other text MUST be refused: the empty one, a prefix, an extension, another case, a token with white
 *   space around it, the stored digest of a token.
 * - **TV-3** Several tokens MUST be accepted side by side, so that they can be rotated.
 * - **TV-4** Refusal MUST be a result, not an error: an error means that the verifier itself cannot answer.
 * - **TV-5** The subject MUST NOT be the token, and MUST NOT contain it: it is logged. So is the reason for a refusal,
 *   which MUST NOT contain what was presented.
 * - **TV-6** [`external`] While it cannot be known whether a token is valid, {@link VerifierUnavailable} MUST be thrown
 *   within {@link VerifierCapabilities.timeoutMs}, and nothing else; a verdict that can already be known MUST be right.
 *   Once it can be known again, tokens MUST be verified again without anybody's help.
 */
export interface TokenVerifier {
  /**
   * @param token the credentials of `Authorization: Bearer` (RFC 6750 section 2.1), as received.
   * @throws {VerifierUnavailable} if it cannot be known whether the token is valid.
   */
  verify(token: string): Promise<TokenVerdict>;
}

/**
 * Accepted, with a name for the client that is safe to log; or refused. The name begins with the kind of token, so that
 * clients with different tokens never share one: a rate limit is counted by it.
 */
export type TokenVerdict = { readonly accepted: true; readonly subject: string } | RefusedToken;

/** The token is refused. The client is told no more than that. */
export interface RefusedToken {
  readonly accepted: false;
  /** Why, if the verifier can say, for the operator's log: its own words, and nothing of the token's. */
  readonly reason?: string;
}

/** What a verifier promises beyond the clauses that bind every one. */
export interface VerifierCapabilities {
  /** The verifier depends on something outside the process that can fail to answer, such as a server with its keys. */
  readonly external: boolean;
  /** The longest time, in milliseconds, until `verify` settles, with default settings. */
  readonly timeoutMs: number;
}

/** The verifier cannot answer, for example because its keys are unreachable. Retrying later may help. */
export class VerifierUnavailable extends Error {
  override readonly name = 'VerifierUnavailable';
}
