import { jwtVerifier, openJwksFile, openJwksUrl } from '@plant-store/adapters-tokens/jwt';
import type { TokenVerifier } from '@plant-store/domain';
import type { JwtSettings } from '../config/index.ts';

/** A verifier that watches files or fetches keys until it is closed. */
export type ClosableVerifier = TokenVerifier & { close(): Promise<void> };

/**
 * Opens the verifier of JWTs. It does not wait for the issuer, which may be unreachable. At most a twentieth of the
 * requests in flight may wait for keys.
 *
 * @throws {Error} if the file of keys cannot be used.
 */
export async function openJwt(
  { jwksFile, jwksUrl, ...settings }: JwtSettings,
  maxRequestsInFlight: number,
  onError: (error: Error) => void,
): Promise<ClosableVerifier> {
  const maxWaiting = Math.ceil(maxRequestsInFlight / 20);
  const keys = jwksUrl
    ? openJwksUrl({ ...settings, url: jwksUrl, onError, maxWaiting })
    : await openJwksFile({ path: jwksFile ?? '', onError });
  return { ...jwtVerifier({ ...settings, keys }), close: async () => keys.close() };
}
