import type { VerifierPromises } from '@plant-store/domain';

/** Digests are compared in memory, and so are the signatures of JWTs whose keys are in a file. */
export const digestPromises: VerifierPromises = { external: false, answersWithinMs: 1_000 };
export const jwksFilePromises: VerifierPromises = { ...digestPromises };

/** An issuer may be out of reach; a token waits 1,500 ms for its keys. */
export const jwksUrlPromises: VerifierPromises = { external: true, answersWithinMs: 2_000 };
