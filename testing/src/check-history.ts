/** A call that adds a value under a key, and its outcome. Times are of one clock. */
export interface RecordedCall<K, V> {
  readonly key: K;
  readonly value: V;
  readonly called: number;
  /** The time of the response; Infinity without one. */
  readonly answered: number;
  readonly answer: RecordedAnswer<V>;
  /** Whether the store may have written it twice, so that `exists` may report its own value. */
  readonly isRetried?: boolean;
}

/**
 * The outcome of a call. `refused` wrote nothing. `unknown` is an error or no response. `taken` says that another value is stored,
 * but not which one.
 */
export type RecordedAnswer<V> = 'added' | 'refused' | 'unknown' | 'taken' | { readonly exists: V };

/**
 * Checks whether a history is linearizable, for a store in which the first writer of a key wins, in linear time. Record initial rows
 * as calls that were `added`.
 *
 * @param finalRows the rows after all calls have ended.
 * @returns one message for each violation; none if some order of the calls, each between its call and its response, explains the
 *   outcomes and the rows.
 */
export function checkHistory<K, V>(
  history: readonly RecordedCall<K, V>[],
  finalRows: ReadonlyMap<K, V>,
  isSame: (a: V, b: V) => boolean = Object.is,
): readonly string[] {
  const byKey = Map.groupBy(history, ({ key }) => key);
  const unknown = [...finalRows.keys()].filter((key) => !byKey.has(key)).map((key) => `${key}: no call added it`);
  return [...unknown, ...[...byKey].flatMap(([key, calls]) => findFaults(calls, key, finalRows, isSame))];
}

function findFaults<K, V>(
  calls: readonly RecordedCall<K, V>[],
  key: K,
  rows: ReadonlyMap<K, V>,
  isSame: (a: V, b: V) => boolean,
): readonly string[] {
  const added = calls.filter(({ answer }) => answer === 'added');
  const existing = calls.filter(({ answer }) => answer === 'taken' || typeof answer === 'object');
  if (added.length > 1) return [`${key}: added ${added.length} times`];
  if (!rows.has(key)) return added.length + existing.length > 0 ? [`${key}: acknowledged, and missing`] : [];
  const row = rows.get(key) as V;
  const [winner] = added;
  if (winner && !isSame(winner.value, row)) return [`${key}: added, and another value is stored`];
  if (existing.some(({ answer }) => typeof answer === 'object' && !isSame(answer.exists, row)))
    return [`${key}: exists with a value that is not stored`];
  if (existing.some(({ answer, value }) => answer === 'taken' && isSame(value, row)))
    return [`${key}: taken by its own value`];
  const writers = winner ? [winner] : calls.filter((call) => mayHaveWritten(call) && isSame(call.value, row));
  if (writers.length === 0) return [`${key}: no call added the stored value`];
  const firstCalled = writers.reduce((first, { called }) => Math.min(first, called), Infinity);
  return existing.some(({ answered }) => answered < firstCalled) ? [`${key}: exists before it was added`] : [];
}

function mayHaveWritten({ answer, isRetried = false }: RecordedCall<unknown, unknown>): boolean {
  return answer === 'unknown' || (isRetried && typeof answer === 'object');
}
