import { ContractViolation, NotChecked, resolved, show, type Tools, within } from '@plant-store/contracts-kit';
import type { BatchEngine, Outcome } from '@plant-store/group-commit';
import type { EndFault, EngineHarness, EnginePlace, StoredItem } from './engine-harness.ts';

type Engine = BatchEngine<unknown, unknown>;
export type Place = EnginePlace<unknown, unknown>;

/** The objects of a clause's check. */
export interface Subject {
  readonly place: Place;
  readonly engine: Engine;
  readonly tools: Tools;
}

/** Creates the check of a clause with an engine on an empty place. */
export function onEngine(use: (subject: Subject) => Promise<void>) {
  return async (harness: EngineHarness<unknown, unknown>, tools: Tools): Promise<void> => {
    const place = await resolved('called prepare()', () => harness.prepare(), 'it resolves with an empty place');
    try {
      const engine = await resolved('called open()', () => place.open(), 'it resolves with an engine');
      try {
        await use({ place, engine, tools });
      } finally {
        // GE-12 to GE-14 check how an engine closes.
        await Promise.race([engine.close().catch(() => {}), tools.sleep(HANG_MS)]);
      }
    } finally {
      await place.dispose();
    }
  };
}

/**
 * Creates a check that runs once for each fault of the harness, on a new place each time.
 * @param end reports at the end what the harness does not allow.
 */
export function inEachFault(
  faultsOf: (place: Place) => Place['outages'],
  use: (subject: Subject, startFault: () => Promise<EndFault>, name: string) => Promise<void>,
  end: (place: Place) => void = () => {},
) {
  return async (harness: EngineHarness<unknown, unknown>, tools: Tools): Promise<void> => {
    let names: readonly string[] = [];
    for (let at = 0; at === 0 || at < names.length; at += 1)
      await onEngine(async (subject) => {
        const faults = Object.entries(faultsOf(subject.place) ?? {});
        names = faults.map(([name]) => name);
        const [name, start] = faults[at] ?? notSupplied('outages', NOTHING_HINDERS);
        await use(subject, start, name);
        if (at === names.length - 1) end(subject.place);
      })(harness, tools);
  };
}

/** Reports that the harness lacks an optional member. @throws {NotChecked} */
export function notSupplied(member: keyof Place, unless: string): never {
  throw new NotChecked(`supply ${member} in what prepare() resolves with, unless ${unless}`);
}

/** Ends a check that has passed, but for what results say. @throws {NotChecked} if the harness lacks `existing`. */
export function assertResultsChecked({ existing }: Place): void {
  if (!existing) notSupplied('existing', 'results are equal whether or not this call has written the item');
}

/** When a harness need not supply `outages`. */
export const NOTHING_HINDERS = 'nothing can keep the engine from writing';

/** An item with its number and text. */
export interface TestItem extends StoredItem {
  readonly item: unknown;
}

/** Creates items whose texts are unique, because they end with the number. */
export function numbered(place: Place, numbers: readonly number[], text: string): readonly TestItem[] {
  return numbers.map((number) => {
    const own = `${text} ${number}`;
    return { number, text: own, item: place.item(number, own) };
  });
}

/** The numbers from 1 to `count`. */
export const oneTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);

/** The engine's items. */
export const itemsOf = (items: readonly TestItem[]): readonly unknown[] => items.map(({ item }) => item);

/** An outcome as the contract compares it: `written`, the text that was already stored, the error, or `conflict`. */
export type Status = 'written' | 'conflict' | { readonly existing: string } | { readonly refused: unknown };

/** Writes items, and settles those that conflict. @throws {ContractViolation} if that fails. */
export async function write(subject: Subject, items: readonly TestItem[], action: string): Promise<readonly Status[]> {
  const outcomes = await resolves(subject.tools, action, () => subject.engine.write(itemsOf(items), longDeadline()));
  return settled(subject, items, outcomes, action);
}

/** Returns the result of a call. @throws {ContractViolation} if it throws, or takes longer than `ms`. */
export function resolves<V>(tools: Tools, action: string, call: () => Promise<V>, ms = HANG_MS): Promise<V> {
  return within(ms, tools, action, resolved(action, call, 'it resolves'), 'it resolves');
}

/** The statuses of a write, after conflicting items are settled. */
export async function settled(
  { engine, place, tools }: Subject,
  items: readonly TestItem[],
  outcomes: readonly Outcome<unknown>[],
  action: string,
): Promise<readonly Status[]> {
  const statuses = outcomes.map((outcome) => statusOf(place, outcome));
  for (let attempt = 0; statuses.includes('conflict') && attempt < 100; attempt += 1) {
    if (attempt > 0) await tools.sleep(20);
    const left = items.filter((_, at) => statuses[at] === 'conflict');
    const settle = engine.settle?.bind(engine);
    if (!settle)
      throw new ContractViolation(action, 'an outcome is `conflict`, and there is no settle', 'there is one');
    const step = `${action}, and called settle() for what conflicts`;
    const later = await resolves(tools, step, () => settle(itemsOf(left), longDeadline()));
    for (const [at, { number }] of left.entries()) {
      const index = items.findIndex((item) => item.number === number);
      statuses[index] = statusOf(place, later[at] ?? 'conflict');
    }
  }
  return statuses;
}

/** The status that an outcome reports. */
export function statusOf(place: Place, outcome: Outcome<unknown>): Status {
  if (outcome === 'conflict') return outcome;
  if ('refused' in outcome) return { refused: outcome.refused };
  const text = place.existing?.(outcome.done);
  return text === undefined ? 'written' : { existing: text };
}

/** Compares the status of each item. @throws {ContractViolation} if one is not as expected. */
export function expectStatuses(
  items: readonly TestItem[],
  statuses: readonly Status[],
  expected: readonly Status[],
  action: string,
) {
  for (const [at, { text }] of items.entries())
    if (show(statuses[at]) !== show(expected[at]))
      throw new ContractViolation(action, `the outcome of ${show(text)} is ${show(statuses[at])}`, show(expected[at]));
}

/** Compares all stored items. @throws {ContractViolation} if one is missing, unexpected or stored twice. */
export async function expectStored({ place }: Subject, expected: readonly StoredItem[], action: string): Promise<void> {
  const byNumber = (items: readonly StoredItem[]) =>
    show(items.map(({ number, text }) => `${number}: ${text}`).toSorted());
  const [actual, wanted] = [byNumber(await place.stored()), byNumber(expected)];
  if (actual !== wanted) throw new ContractViolation(action, `stored is ${actual}`, `stored is ${wanted}`);
}

/**
 * Expects that exactly one of the items with equal keys in several batches is stored, and that each outcome says so. Errors are
 * ignored, because other clauses check them.
 */
export async function expectOneWinner(
  { place }: Subject,
  batches: readonly { readonly items: readonly TestItem[]; readonly statuses: readonly Status[] | undefined }[],
  action: string,
): Promise<void> {
  const stored = await place.stored();
  const numbers = new Set(batches.flatMap(({ items }) => items.map(({ number }) => number)));
  for (const number of numbers) {
    const rows = stored.filter((row) => row.number === number).map(({ text }) => text);
    if (rows.length > 1)
      throw new ContractViolation(action, `number ${number} is stored as ${show(rows)}`, 'one of them');
    for (const { items, statuses } of batches) {
      const at = items.findIndex((item) => item.number === number);
      const [outcome, text] = [statuses?.[at], items[at]?.text];
      if (outcome === undefined || outcome === 'conflict' || (outcome === 'written' && !place.existing)) continue;
      const says = outcome === 'written' ? text : 'existing' in outcome ? outcome.existing : undefined;
      if (says !== rows[0])
        throw new ContractViolation(
          action,
          `the outcome of ${show(text)} is ${show(outcome)}, and stored is ${show(rows[0])}`,
          'what is stored',
        );
    }
  }
}

/** Whether an error says that the outcome is unknown. */
export function isUnavailable({ Unavailable }: Place, error: unknown): boolean {
  return Unavailable.is?.(error) ?? error instanceof Unavailable;
}

/** The value or the error of a call. */
export type Result<V> = { readonly value: V } | { readonly error: unknown };

/** Awaits a call without throwing. */
export async function resultOf<V>(call: () => Promise<V>): Promise<Result<V>> {
  try {
    return { value: await call() };
  } catch (error) {
    return { error };
  }
}

/** A deadline that calls are expected to meet. */
export const longDeadline = () => performance.now() + 5_000;

/** A deadline that has passed after a sleep of {@link LATE_MS}. */
export const shortDeadline = () => performance.now() + LATE_MS / 2;

/** How long a check waits until a short deadline has passed. */
export const LATE_MS = 100;

/** 20 s: a call that has not ended by then hangs, however busy the machine is. */
export const HANG_MS = 20_000;
