import type { TokenVerifier, VerifierCapabilities } from '@plant-store/domain';

/** What the author of a token verifier supplies so that the contract can be run against it. */
export interface VerifierHarness {
  readonly capabilities: VerifierCapabilities;

  /**
   * Makes a verifier that shares nothing with those made before, together with at least two tokens that it must accept.
   * Resolves in an outage, too: a service that starts in one has to recover by itself.
   */
  prepare(): Promise<PreparedVerifier>;

  /** Texts that look like valid tokens of this kind and are not: a digest, an expired one, one signed by a stranger. */
  readonly impostors: () => Promise<readonly string[]>;

  /**
   * Required for `external`. Makes the outside unable to answer any verifier of {@link prepare}, including those made
   * during the outage; resolves with a function that ends it.
   */
  startOutage?(): Promise<() => Promise<void>>;
}

/** A verifier, and tokens that it must accept. */
export interface PreparedVerifier {
  readonly verifier: TokenVerifier;
  readonly tokens: readonly [string, string, ...string[]];
}
