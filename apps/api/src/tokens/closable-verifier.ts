import type { TokenVerifier } from '@plant-store/domain';

/** A verifier that watches files or fetches keys until it is closed. */
export type ClosableVerifier = TokenVerifier & { close(): Promise<void> };
