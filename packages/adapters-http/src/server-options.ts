import type { TokenVerifier, UseCases } from '@plant-store/domain';
import type { EdgeSettings } from '@plant-store/http-edge';
import type { GivenLimits, httpLimits } from './server-limits.ts';

/** What the public listener is made of, with its limits. */
export interface HttpServerOptions<Offered = UseCases> extends EdgeSettings, GivenLimits<typeof httpLimits> {
  /** What the operations do: `useCases(store)` of the domain. */
  readonly useCases: Offered;
  readonly tokens: TokenVerifier;
  /** Whether there is a page to try the operations, at `/docs`. False by default. */
  readonly docs?: boolean;
}
