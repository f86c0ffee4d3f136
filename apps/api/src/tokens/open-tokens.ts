import {
  anyVerifier,
  digestVerifier,
  openTokenFile,
  parseTokenList,
  type TokenSource,
} from '@plant-store/adapters-tokens';
import type { TokenVerifier } from '@plant-store/domain';
import type { Config, JwtSettings } from '../config/index.ts';
import { ConfigError } from '../errors.ts';

/** Whether the configuration has tokens to accept; otherwise one is generated. */
export function hasTokens({ API_TOKENS, API_TOKENS_FILE, jwt }: Config): boolean {
  return (API_TOKENS ?? API_TOKENS_FILE ?? jwt) !== undefined;
}

/**
 * Rejects what {@link openTokens} would reject. It reads the files and asks no issuer.
 * @throws {ConfigError} if a file cannot be used. `readConfig` has checked `API_TOKENS`.
 */
export async function checkTokens(config: Config): Promise<void> {
  const tokens = await openTokens({ ...config, jwt: config.jwt?.jwksUrl ? undefined : config.jwt }, () => {});
  await tokens.close();
}

/**
 * Opens the verifier of the configured tokens: those in `API_TOKENS` and `API_TOKENS_FILE`, and the JWTs of an issuer. It
 * watches files or fetches keys until it is closed.
 *
 * @throws {ConfigError} if a file cannot be used. `readConfig` has checked `API_TOKENS`.
 */
export async function openTokens(
  config: Config,
  onError: (error: Error) => void,
): Promise<TokenVerifier & { close(): Promise<void> }> {
  const { API_TOKENS, API_TOKENS_FILE: path, jwt, MAX_REQUESTS_IN_FLIGHT } = config;
  using opened = new DisposableStack();
  const keep = <Part extends { close(): void }>(part: Part) => opened.adopt(part, ({ close }) => close());
  const sources: TokenSource[] = [];
  if (API_TOKENS !== undefined) sources.push({ digests: parseTokenList(API_TOKENS) });
  if (path !== undefined) sources.push(keep(await openTokenFile({ path, onError }).catch(faultOf('API_TOKENS_FILE'))));
  const digests = digestVerifier(sources);
  // Digests first: comparing them takes a microsecond and no other service.
  const { verify } = jwt ? anyVerifier([digests, await jwtVerifierOf(jwt)]) : digests;
  const parts = opened.move();
  return { verify, close: async () => parts.dispose() };

  async function jwtVerifierOf({ jwksUrl: url, jwksFile = '', ...settings }: JwtSettings): Promise<TokenVerifier> {
    // What verifies JWTs takes a fourteenth of the CPU of a start.
    const { jwtVerifier, openJwksFile, openJwksUrl } = await import('@plant-store/adapters-tokens/jwt');
    // At most a twentieth of the requests in flight may wait for keys. The start does not: an issuer may be unreachable.
    const maxWaiting = Math.ceil(MAX_REQUESTS_IN_FLIGHT / 20);
    const keys = url
      ? openJwksUrl({ ...settings, url, onError, maxWaiting })
      : await openJwksFile({ path: jwksFile, onError }).catch(faultOf('JWT_JWKS_FILE'));
    return jwtVerifier({ ...settings, keys: keep(keys) });
  }
}

function faultOf(setting: string): (error: Error) => never {
  return ({ message }) => {
    throw new ConfigError(`${setting}: ${message}`);
  };
}
