/** A call that adds a value under a key, with its answer. Times are of one clock. */
export interface RecordedCall<K, V> {
  readonly key: K;
  readonly value: V;
  readonly called: number;
  /** Infinity if no answer came. */
  readonly answered: number;
  readonly answer: RecordedAnswer<V>;
  /** Whether it may have been written before it was written again: `exists` may then be its own value. */
  readonly isRetried?: boolean;
}

/**
 * `refused` has certainly not written; `unknown` is Unavailable, or no answer at all; `taken` says that another value is
 * stored, and not which.
 */
export type RecordedAnswer<V> = 'added' | 'refused' | 'unknown' | 'taken' | { readonly exists: V };

/**
 * Judges the answers of a store in which the first writer of a key wins, in time that is linear in the calls. Rows that
 * were there before are calls that were `added`.
 *
 * @param finalRows what is stored when no call is under way any more.
 * @returns what is wrong, one line each; nothing if some order of the calls, each at a moment between its call and its
 *   answer, gives these answers and these rows.
 */
export function checkHistory<K, V>(
  history: readonly RecordedCall<K, V>[],
  finalRows: ReadonlyMap<K, V>,
  isSame: (a: V, b: V) => boolean = Object.is,
): readonly string[] {
  const byKey = Map.groupBy(history, ({ key }) => key);
  const strangers = [...finalRows.keys()].filter((key) => !byKey.has(key)).map((key) => `${key}: nobody has added it`);
  return [...strangers, ...[...byKey].flatMap(([key, calls]) => faultsOf(calls, key, finalRows, isSame))];
}

function faultsOf<K, V>(
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
    return [`${key}: taken by the value itself`];
  const writers = winner ? [winner] : calls.filter((call) => mayHaveWritten(call) && isSame(call.value, row));
  if (writers.length === 0) return [`${key}: nobody has added what is stored`];
  const firstCalled = writers.reduce((first, { called }) => Math.min(first, called), Infinity);
  return existing.some(({ answered }) => answered < firstCalled) ? [`${key}: exists before it was added`] : [];
}

function mayHaveWritten({ answer, isRetried = false }: RecordedCall<unknown, unknown>): boolean {
  return answer === 'unknown' || (isRetried && typeof answer === 'object');
}
