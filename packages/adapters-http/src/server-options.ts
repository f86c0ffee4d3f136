import type { CreatePlant, TokenVerifier } from '@plant-store/domain';
import type { EdgeSettings } from '@plant-store/http-edge';

/** What the public listener is made of. */
export interface HttpServerOptions extends EdgeSettings {
  readonly createPlant: CreatePlant;
  readonly tokens: TokenVerifier;
  /** The maximum requests a second with one token; those beyond are responded to with 429. No limit without it. */
  readonly requestsPerSecond?: number;
  /** Whether there is a page to try the operation, at `/docs`. False by default. */
  readonly docs?: boolean;
}
