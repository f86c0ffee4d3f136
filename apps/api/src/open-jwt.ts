import { type JwksFile, type JwksUrl, jwtVerifier, openJwksFile, openJwksUrl } from '@plant-store/adapters-tokens';
import type { ClosableVerifier } from './closable-verifier.ts';
import type { JwtSettings } from './jwt-settings.ts';
import type { OnError } from './stores.ts';

/**
 * Opens the verifier of the JWTs that the settings name. It does not wait for an issuer: that may be out of reach.
 *
 * @throws {Error} when the file of its keys cannot be used.
 */
export async function openJwt(settings: JwtSettings, onError: OnError): Promise<ClosableVerifier> {
  const keys = await openKeys(settings, onError);
  return { ...jwtVerifier({ ...settings, keys }), close: async () => keys.close() };
}

async function openKeys({ keys, refreshMs, timeoutMs }: JwtSettings, onError: OnError): Promise<JwksFile | JwksUrl> {
  if ('file' in keys) return openJwksFile({ path: keys.file, onError });
  return openJwksUrl({
    url: keys.url,
    onError,
    ...(refreshMs === undefined ? {} : { refreshMs }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}
