import type { Config } from '../config/index.ts';
import { developmentTokenFile } from './development-token.ts';

/** A sentence for the page at `/docs`: where a token for this service comes from. */
export function tokenHint({ jwt, tokens, tokensFile, dataDirectory }: Config): string {
  if (jwt) return `A JWT of ${jwt.issuer} for ${jwt.audience}, or a token from the operator of this service.`;
  if (tokens !== '' || tokensFile !== undefined) return 'An access token from the operator of this service.';
  return `The access token in ${developmentTokenFile(dataDirectory)}, which the service generated at its first start.`;
}
