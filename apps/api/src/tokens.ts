import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newToken, openTokenFile, parseTokenList, TokenList, tokenListVerifier } from '@plant-store/adapters-tokens';
import type { TokenVerifier } from '@plant-store/domain';
import type { Config } from './config.ts';
import { ConfigError } from './errors.ts';

/** Whether tokens are configured. Otherwise one is generated. */
export function hasTokens({ API_TOKENS, API_TOKENS_FILE, JWT_ISSUER }: Config): boolean {
  return (API_TOKENS ?? API_TOKENS_FILE ?? JWT_ISSUER) !== undefined;
}

/**
 * Opens the verifier of the configured tokens: those of `API_TOKENS` and `API_TOKENS_FILE`, and the JWTs of an issuer. Until it
 * is closed, it watches files and fetches keys.
 *
 * @throws {ConfigError} if a file cannot be used.
 */
export async function openTokens(
  config: Config,
  onError: (error: Error) => void,
): Promise<TokenVerifier & { close(): Promise<void> }> {
  const { API_TOKENS, API_TOKENS_FILE: path, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = config;
  const opened = new DisposableStack();
  const listed = API_TOKENS === undefined ? new TokenList([]) : parseTokenList(API_TOKENS);
  const file = path && track(await openTokenFile({ path, onError }, listed).catch(blame('API_TOKENS_FILE')));
  if (file && file.current.digests.size === 0 && !issuer)
    onError(new Error('API_TOKENS_FILE: it has no token: every request gets a 401'));
  const jwts = issuer && audience ? await openJwts(issuer, audience) : undefined;
  const { verify } = tokenListVerifier(file || { current: listed }, jwts);
  return { verify, close: async () => opened.dispose() };

  async function openJwts(issuer: string, audience: string): Promise<TokenVerifier> {
    const { JWT_JWKS_URL: url, JWT_JWKS_FILE: path = '', JWT_ALGORITHMS: algorithms } = config;
    // Loaded on demand, because the JWT verifier takes a fourteenth of the CPU of a start.
    const { jwtVerifier, openJwksFile, openJwksUrl } = await import('@plant-store/adapters-tokens/jwt');
    // Startup does not wait for keys, because an issuer may be down.
    const keys = track(
      url ? openJwksUrl({ url, onError }) : await openJwksFile({ path, onError }).catch(blame('JWT_JWKS_FILE')),
    );
    return jwtVerifier({ issuer, audience, algorithms, clockSkewSeconds: config.JWT_CLOCK_SKEW_SECONDS, keys });
  }

  function track<Resource extends { close(): void }>(resource: Resource): Resource {
    return opened.adopt(resource, ({ close }) => close());
  }
}

function blame(setting: string): (error: Error) => never {
  return ({ message }) => {
    throw new ConfigError(`${setting}: ${message}`);
  };
}

/** The path of the generated token. */
export function developmentTokenFile({ DATA_DIR }: Config): string {
  return join(DATA_DIR, 'token');
}

/**
 * The token of a development machine. It is generated at the first start and stored in the file `token` of the data directory,
 * with mode 0600.
 *
 * @throws {ConfigError} if the token cannot be read or created.
 */
export async function developmentToken(config: Config): Promise<string> {
  const path = developmentTokenFile(config);
  try {
    // A new directory is private. The mode of an existing one is its owner's choice.
    await mkdir(config.DATA_DIR, { recursive: true, mode: 0o700 });
    await writeFile(path, `${newToken().token}\n`, { flag: 'wx', mode: 0o600 }).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
    const token = (await readFile(path, 'utf8')).trim();
    parseTokenList(token);
    return token;
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigError(`DATA_DIR: cannot use the generated token: ${message}; delete ${path}, or set API_TOKENS`);
  }
}
