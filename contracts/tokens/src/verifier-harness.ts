import type { TokenVerifier, VerifierCapabilities } from '@plant-store/domain';

/** What the author of a token verifier supplies so that the contract can be run against it. */
export interface VerifierHarness {
  readonly capabilities: VerifierCapabilities;

  /**
   * Makes a verifier that shares nothing with earlier ones, and at least two tokens that it must accept. Resolves in an outage
   * as well, because a service may start in one.
   */
  prepare(): Promise<PreparedVerifier>;

  /** Resolves with texts that look like valid tokens: a digest, an expired token, a token with a signature of another issuer. */
  readonly impostors: () => Promise<readonly string[]>;

  /**
   * Required for `external`. Starts an outage for every verifier of {@link prepare}, including those made in the outage.
   * @returns a function that ends the outage.
   */
  startOutage?(): Promise<() => Promise<void>>;
}

/** A verifier, and the tokens that it must accept. */
export interface PreparedVerifier {
  readonly verifier: TokenVerifier;
  readonly tokens: readonly [string, string, ...string[]];
  /** Revokes the first token. Resolves once it is refused. Required if verdicts have `isCurrent`. */
  revokeFirst?(): Promise<void>;
}
