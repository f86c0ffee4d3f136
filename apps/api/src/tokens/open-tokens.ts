import {
  anyVerifier,
  digestVerifier,
  FileUnusable,
  InvalidTokenEntry,
  openTokenFile,
  parseTokenList,
  type TokenDigest,
} from '@plant-store/adapters-tokens';
import type { Config } from '../config/index.ts';
import { ConfigError } from '../errors.ts';
import type { ClosableVerifier } from './open-jwt.ts';

/**
 * Opens the verifier of the configured tokens: those in `API_TOKENS` and `API_TOKENS_FILE`, and the JWTs of an issuer.
 *
 * @param options.asksIssuer whether the keys of an issuer are fetched; otherwise its JWTs are not accepted.
 * @throws {ConfigError} if an entry is malformed, there is none and nothing else is set, or a file cannot be used.
 */
export async function openTokens(
  config: Config,
  onError: (error: Error) => void,
  { asksIssuer = true }: { readonly asksIssuer?: boolean } = {},
): Promise<ClosableVerifier> {
  const listed = { digests: listedTokens(config) };

  const jwt = await openConfiguredJwt().catch(throwConfigError);
  const file = config.tokensFile === undefined ? undefined : await openFile(config.tokensFile);
  // Digests first: comparing them takes a microsecond and no other service.
  const digests = digestVerifier(file ? [listed, file] : [listed]);
  return {
    ...(jwt ? anyVerifier([digests, jwt]) : digests),
    close: async () => {
      file?.close();
      await jwt?.close();
    },
  };

  async function openConfiguredJwt() {
    if (!config.jwt || (config.jwt.jwksUrl && !asksIssuer)) return undefined;
    // What verifies JWTs takes a fourteenth of the CPU of a start.
    const { openJwt } = await import('./open-jwt.ts');
    return openJwt(config.jwt, config.maxRequestsInFlight, onError);
  }

  async function openFile(path: string) {
    return openTokenFile({ path, onError }).catch(async (error: unknown) => {
      await jwt?.close();
      return throwConfigError(error);
    });
  }
}

function throwConfigError(error: unknown): never {
  throw error instanceof FileUnusable ? new ConfigError(error.message) : error;
}

/**
 * The tokens of `API_TOKENS`.
 * @throws {ConfigError} if an entry is malformed, or there is none and nothing else is set.
 */
function listedTokens(config: Config): readonly TokenDigest[] {
  const digests = digestsOf(config.tokens);
  if (digests.length === 0 && config.tokensFile === undefined && config.jwt === undefined)
    throw new ConfigError('API_TOKENS: contains no token');
  return digests;
}

function digestsOf(tokens: string): readonly TokenDigest[] {
  try {
    return parseTokenList(tokens);
  } catch (error) {
    if (error instanceof InvalidTokenEntry) throw new ConfigError(`API_TOKENS: ${error.message}`);
    throw error;
  }
}
