import type { StoreObserver } from '@plant-store/domain';

/** An observer that ignores everything. */
export const unobserved: StoreObserver = {
  watchWaitingAdds() {},
  wrote() {},
  watchConnections() {},
  retried() {},
  circuit() {},
};
