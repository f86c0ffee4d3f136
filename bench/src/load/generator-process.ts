import { once } from 'node:events';
import { applyLoad } from './apply-load.ts';
import type { LoadResult, Order } from './load.ts';

/** Sent by the generator: it waits until it may go on, or a load has ended. */
export type Report = 'paused' | { readonly result: LoadResult } | { readonly failure: string };

// A separate process, so that measuring and orchestration do not delay each other.
process.on('disconnect', () => process.exit());
for (;;) {
  const [order] = (await once(process, 'message')) as [Order];
  send(await report(order));
}

async function report(order: Order): Promise<Report> {
  try {
    return { result: await applyLoad(order, pause) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

async function pause(): Promise<void> {
  send('paused');
  await once(process, 'message');
}

function send(report: Report): void {
  process.send?.(report);
}
