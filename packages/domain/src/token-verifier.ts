import { PortError } from './port-error.ts';

/**
 * The driven port that authenticates clients. The TokenVerifier contract in `@plant-store/contracts-tokens` checks each
 * clause under the same number. A clause with a name in brackets applies to verifiers with this
 * {@link VerifierCapabilities | capability}.
 *
 * - **TV-1** An issued token MUST be accepted every time it is presented, until it is removed or expires.
 * - **TV-2** Any other text MUST be refused: the empty string, a prefix, an extension, another case, a token with white
 *   space around it, the stored digest of a token.
 * - **TV-3** Several tokens MUST be accepted at the same time, so that they can be rotated.
 * - **TV-4** Refusal MUST be a result, not an error: an error means that the verifier itself cannot respond.
 * - **TV-5** The subject MUST NOT contain the token, and the reason for a refusal MUST NOT contain the presented text,
 *   because both are logged.
 * - **TV-6** [`external`] While the verifier cannot determine whether a token is valid, it MUST throw
 *   {@link VerifierUnavailable}, and nothing else, within {@link VerifierCapabilities.timeoutMs}. A verdict that it can
 *   determine MUST be right. Once it can verify again, it MUST do so without manual intervention.
 */
export interface TokenVerifier {
  /**
   * Verifies a token, as received in `Authorization: Bearer` (RFC 6750 section 2.1).
   * @throws {VerifierUnavailable} if the verifier cannot determine whether the token is valid.
   */
  verify(token: string): Promise<TokenVerdict>;
}

/** The result of a verification. */
export type TokenVerdict = AcceptedToken | RefusedToken;

/** The token is accepted. */
export interface AcceptedToken {
  readonly accepted: true;
  /**
   * Names the client, and is safe to log. Rate limits are counted per subject. Subjects of different kinds of tokens differ if each
   * begins with the kind and a colon.
   */
  readonly subject: string;
}

/** The token is refused. The client does not learn the reason. */
export interface RefusedToken {
  readonly accepted: false;
  /** The reason for the operator's log, if it is known. It contains nothing of the token. */
  readonly reason?: string;
}

/** The guarantees of a verifier beyond the clauses that apply to every verifier. */
export interface VerifierCapabilities {
  /** The verifier depends on something outside the process that can fail to respond, such as a server with its keys. */
  readonly external: boolean;
  /** The maximum time in milliseconds until `verify` settles, with default settings. */
  readonly timeoutMs: number;
}

/** The verifier cannot respond, for example because its keys are unreachable. Retrying later may help. */
export class VerifierUnavailable extends PortError {
  static override readonly code: string = 'ERR_VERIFIER_UNAVAILABLE';
  override readonly name = 'VerifierUnavailable';
}
