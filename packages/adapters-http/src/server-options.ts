import type { TokenVerifier, UseCases } from '@plant-store/domain';
import type { EdgeSettings } from '@plant-store/http-edge';

/** What the public listener is made of. */
export interface HttpServerOptions<Offered = UseCases> extends EdgeSettings {
  /** What the operations do: `useCases(store)` of the domain. */
  readonly useCases: Offered;
  readonly tokens: TokenVerifier;
  /** The maximum requests a second with one token; those beyond are responded to with 429. No limit without it. */
  readonly requestsPerSecond?: number;
  /** Whether there is a page to try the operations, at `/docs`. False by default. */
  readonly docs?: boolean;
}
