import type { TokenVerifier } from '@plant-store/domain';

/** A verifier that is followed by nothing any more once it is closed. */
export type ClosableVerifier = TokenVerifier & { close(): Promise<void> };
