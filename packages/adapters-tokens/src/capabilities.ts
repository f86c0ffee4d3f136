import type { VerifierCapabilities } from '@plant-store/domain';

/** Digests are compared in memory, and so are the signatures of JWTs whose keys are in a file. */
export const digestCapabilities: VerifierCapabilities = { external: false, timeoutMs: 1_000 };
export const jwksFileCapabilities: VerifierCapabilities = { ...digestCapabilities };

/** An issuer may be unreachable; a token waits 1,500 ms for its keys. */
export const jwksUrlCapabilities: VerifierCapabilities = { external: true, timeoutMs: 2_000 };
