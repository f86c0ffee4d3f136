import { applyLoad } from './apply-load.ts';
import type { LoadResult, Order } from './load.ts';

/** What the generator says when an order is done. */
export type Report = { readonly result: LoadResult } | { readonly failure: string };

// A process of its own: the measuring does not wait behind the orchestration, nor the other way round.
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
