import type { TokenVerifier, UseCases } from '@plant-store/domain';
import type { EdgeSettings } from '@plant-store/http-edge';
import type { PageOptions } from './docs/page.ts';
import type { GivenLimits, httpLimits } from './server-limits.ts';

/** What the public listener is made of, with its limits. */
export interface HttpServerOptions<Offered = UseCases> extends EdgeSettings, GivenLimits<typeof httpLimits> {
  /** What the operations do: `useCases(store)` of the domain. */
  readonly useCases: Offered;
  readonly tokens: TokenVerifier;
  /** What the page to try the operations says, at `/docs`. Without it there is none. */
  readonly docs?: PageOptions;
}
