import {
  anyVerifier,
  digestVerifier,
  openTokenFile,
  parseTokenList,
  type TokenSource,
} from '@plant-store/adapters-tokens';
import type { TokenVerifier } from '@plant-store/domain';
import type { Config } from '../config/index.ts';
import { ConfigError } from '../errors.ts';

/** Whether tokens are configured. Otherwise one is generated. */
export function hasTokens({ API_TOKENS, API_TOKENS_FILE, JWT_ISSUER }: Config): boolean {
  return (API_TOKENS ?? API_TOKENS_FILE ?? JWT_ISSUER) !== undefined;
}

/**
 * Checks the configured tokens like {@link openTokens}. It reads files, but contacts no issuer.
 * @throws {ConfigError} if a file cannot be used. `readConfig` has checked `API_TOKENS`.
 */
export async function checkTokens(config: Config): Promise<void> {
  const tokens = await openTokens(config.JWT_JWKS_URL ? { ...config, JWT_ISSUER: undefined } : config, () => {});
  await tokens.close();
}

/**
 * Opens the verifier of the configured tokens: those of `API_TOKENS` and `API_TOKENS_FILE`, and the JWTs of an issuer. Until it
 * is closed, it watches files and fetches keys.
 *
 * @throws {ConfigError} if a file cannot be used. `readConfig` has checked `API_TOKENS`.
 */
export async function openTokens(
  config: Config,
  onError: (error: Error) => void,
): Promise<TokenVerifier & { close(): Promise<void> }> {
  const { API_TOKENS, API_TOKENS_FILE: path, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = config;
  using opened = new DisposableStack();
  const track = <Resource extends { close(): void }>(resource: Resource) =>
    opened.adopt(resource, ({ close }) => close());
  const sources: TokenSource[] = [];
  if (API_TOKENS !== undefined) sources.push({ digests: parseTokenList(API_TOKENS) });
  if (path !== undefined) sources.push(track(await openTokenFile({ path, onError }).catch(rethrow('API_TOKENS_FILE'))));
  const digests = digestVerifier(sources);
  // Digests come first, because comparing them takes a microsecond and no network.
  const { verify } = issuer && audience ? anyVerifier([digests, await jwtVerifierOf(issuer, audience)]) : digests;
  const resources = opened.move();
  return { verify, close: async () => resources.dispose() };

  async function jwtVerifierOf(issuer: string, audience: string): Promise<TokenVerifier> {
    const { JWT_JWKS_URL: url, JWT_JWKS_FILE: path = '', JWT_ALGORITHMS: algorithms } = config;
    // Loaded on demand, because the JWT verifier takes a fourteenth of the CPU of a start.
    const { jwtVerifier, openJwksFile, openJwksUrl } = await import('@plant-store/adapters-tokens/jwt');
    // Startup does not wait for keys, because an issuer may be down.
    const keys = url
      ? openJwksUrl({ url, onError })
      : await openJwksFile({ path, onError }).catch(rethrow('JWT_JWKS_FILE'));
    return jwtVerifier({
      issuer,
      audience,
      algorithms,
      clockSkewSeconds: config.JWT_CLOCK_SKEW_SECONDS,
      keys: track(keys),
    });
  }
}

function rethrow(setting: string): (error: Error) => never {
  return ({ message }) => {
    throw new ConfigError(`${setting}: ${message}`);
  };
}
