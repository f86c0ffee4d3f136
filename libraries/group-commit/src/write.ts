import type { BatchEngine, Failure } from './batch-engine.ts';
import type { Entry } from './entries.ts';
import { toError } from './errors.ts';
import type { GroupCommitEvents } from './events.ts';
import { type Platform, withTimeout } from './platform.ts';

/** What became of an item in one attempt. */
export type Verdict<R> = { readonly result: R } | { readonly error: Error; readonly failure: Failure };

/** Writes entries once. Resolves with a verdict for each, in their order. */
export type Attempt<T, K, R> = (batch: readonly Entry<T, K, R>[]) => Promise<readonly Verdict<R>[]>;

/** @param timedOut makes the error of a write that has not ended when no caller waits any more. */
export function writer<T, K, R>(
  engine: BatchEngine<T, R>,
  events: Pick<GroupCommitEvents, 'wrote'>,
  platform: Platform,
  timedOut: () => Error,
): Attempt<T, K, R> {
  const { now } = platform;

  return async (batch) => {
    const began = now();
    const verdicts = await writeOnce(batch);
    const seconds = (now() - began) / 1_000;
    const isDone = (each: Verdict<R>) => 'result' in each || (each.failure === 'refused' && batch.length === 1);
    const done = verdicts.filter(isDone).length;
    if (done > 0) events.wrote?.('done', done, seconds);
    if (done < batch.length) events.wrote?.('failed', batch.length - done, seconds);
    return verdicts;
  };

  async function writeOnce(batch: readonly Entry<T, K, R>[]): Promise<readonly Verdict<R>[]> {
    const deadline = batch.reduce((latest, { callers }) => Math.max(latest, callers.at(-1)?.deadline ?? 0), 0);
    const items = batch.map(({ first }) => first.item);
    const fail = (error: Error, failure: Failure) => batch.map(() => ({ error, failure }));
    let isOver = false;
    const onTimeout = () => {
      isOver = true;
      return timedOut();
    };
    try {
      const results = await withTimeout(engine.write(items, deadline), deadline - now(), onTimeout, platform);
      if (results.length === batch.length) return results.map(judge);
      return fail(new Error(`the engine gave ${results.length} results for ${batch.length} items`), 'other');
    } catch (thrown) {
      const error = toError(thrown);
      // Callers that have joined since the write began may have time left.
      return fail(error, isOver ? 'transient' : classify(error));
    }
  }

  function judge(result: R | Error): Verdict<R> {
    return result instanceof Error ? { error: result, failure: classify(result) } : { result };
  }

  function classify(error: Error): Failure {
    return engine.classify?.(error) ?? 'other';
  }
}
