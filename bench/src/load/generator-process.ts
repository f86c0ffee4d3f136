import { applyLoad } from './apply-load.ts';
import type { LoadResult, Order } from './load.ts';

/** Sent by the generator when a load has been applied. */
export type Report = { readonly result: LoadResult } | { readonly failure: string };

// A separate process, so that measuring and orchestration do not delay each other.
process.on('message', async (order: Order) => {
  process.send?.(await report(order));
});
process.on('disconnect', () => process.exit());

async function report(order: Order): Promise<Report> {
  try {
    return { result: await applyLoad(order) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
