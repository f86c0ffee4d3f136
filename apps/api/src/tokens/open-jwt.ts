import { type JwksFile, type JwksUrl, jwtVerifier, openJwksFile, openJwksUrl } from '@plant-store/adapters-tokens';
import type { JwtSettings } from '../config/jwt-settings.ts';
import type { OnError } from '../stores/engines.ts';
import type { ClosableVerifier } from './closable-verifier.ts';

/**
 * Opens the verifier of the JWTs that the settings name. It does not wait for an issuer: that may be out of reach. Of the
 * requests that may be under way, a twentieth may wait for its keys.
 *
 * @throws {Error} when the file of its keys cannot be used.
 */
export async function openJwt(
  settings: JwtSettings,
  maxRequestsInFlight: number,
  onError: OnError,
): Promise<ClosableVerifier> {
  const keys = await openKeys(settings, maxRequestsInFlight, onError);
  return { ...jwtVerifier({ ...settings, keys }), close: async () => keys.close() };
}

async function openKeys(
  { keys, refreshMs, timeoutMs }: JwtSettings,
  maxRequestsInFlight: number,
  onError: OnError,
): Promise<JwksFile | JwksUrl> {
  if ('file' in keys) return openJwksFile({ path: keys.file, onError });
  return openJwksUrl({
    url: keys.url,
    onError,
    maxWaiting: Math.ceil(maxRequestsInFlight / 20),
    ...(refreshMs === undefined ? {} : { refreshMs }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}
