import type { GroupCommitLimits } from '@plant-store/group-commit';
import type { StoreObserver } from '@plant-store/sql-store';

/** Where plants are kept, and the limits within which they are. */
export interface NewEngineOptions extends GroupCommitLimits {
  /** The place, as an operator writes it into `DATABASE_URL`: `new-engine:…`. */
  readonly url: string;

  /** Notified of what the store does, for metrics. None by default. */
  readonly observer?: StoreObserver;
}
