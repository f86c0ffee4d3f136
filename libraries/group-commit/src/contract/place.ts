import { ContractViolation, NotChecked, resolved, show, type Tools, within } from '@plant-store/contracts-kit';
import type { BatchEngine, Outcome } from '../batch-engine.ts';
import type { EndFault, EngineHarness, EnginePlace, StoredItem } from './engine-harness.ts';

type Engine = BatchEngine<unknown, unknown>;
export type Place = EnginePlace<unknown, unknown>;

/** What a clause works with. */
export interface Subject {
  readonly place: Place;
  readonly engine: Engine;
  readonly tools: Tools;
}

/** Makes the check of a clause that works with an engine on an empty place. */
export function onEngine(use: (subject: Subject) => Promise<void>) {
  return async (harness: EngineHarness<unknown, unknown>, tools: Tools): Promise<void> => {
    const place = await resolved('called prepare()', () => harness.prepare(), 'it resolves with an empty place');
    try {
      const engine = await resolved('called open()', () => place.open(), 'it resolves with an engine');
      try {
        await use({ place, engine, tools });
      } finally {
        // How an engine closes is for GE-12 to GE-14 to check.
        await Promise.race([engine.close().catch(() => {}), tools.sleep(ENDS_MS)]);
      }
    } finally {
      await place.dispose();
    }
  };
}

/** The same for each fault of the harness, each on a place of its own. */
export function inEachFault(
  faultsOf: (place: Place) => Place['outages'],
  use: (subject: Subject, startFault: () => Promise<EndFault>, name: string) => Promise<void>,
) {
  return async (harness: EngineHarness<unknown, unknown>, tools: Tools): Promise<void> => {
    let names: readonly string[] = [];
    for (let at = 0; at === 0 || at < names.length; at += 1)
      await onEngine(async (subject) => {
        const faults = Object.entries(faultsOf(subject.place) ?? {});
        names = faults.map(([name]) => name);
        const [name, start] = faults[at] ?? notSupplied('outages', 'nothing can keep the engine from writing');
        await use(subject, start, name);
      })(harness, tools);
  };
}

/** @throws {NotChecked} */
export function notSupplied(member: keyof Place, unless: string): never {
  throw new NotChecked(`supply ${member} in what prepare() resolves with, unless ${unless}`);
}

/** An item with its number and text. */
export interface Numbered extends StoredItem {
  readonly item: unknown;
}

export function numbered(place: Place, numbers: readonly number[], text: string): readonly Numbered[] {
  return numbers.map((number) => {
    const own = `${text} ${number}`;
    return { number, text: own, item: place.item(number, own) };
  });
}

export const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);

export const itemsOf = (items: readonly Numbered[]): readonly unknown[] => items.map(({ item }) => item);

/** What an outcome says: `written`, the text that was there before, the error, or `conflict`. */
export type Told = 'written' | 'conflict' | { readonly existing: string } | { readonly refused: unknown };

/** Writes items, and settles those that conflict. @throws {ContractViolation} if that fails. */
export async function write(subject: Subject, items: readonly Numbered[], action: string): Promise<readonly Told[]> {
  const outcomes = await resolves(subject.tools, action, () => subject.engine.write(itemsOf(items), soon()));
  return settled(subject, items, outcomes, action);
}

/** What a call resolves with. @throws {ContractViolation} if it throws, or takes longer. */
export function resolves<V>(tools: Tools, action: string, call: () => Promise<V>, ms = ENDS_MS): Promise<V> {
  return within(ms, tools, action, resolved(action, call, 'it resolves'), 'it resolves');
}

/** What the outcomes of a write say, once those that conflict are settled. */
export async function settled(
  { engine, place, tools }: Subject,
  items: readonly Numbered[],
  outcomes: readonly Outcome<unknown>[],
  action: string,
): Promise<readonly Told[]> {
  const told = outcomes.map((outcome) => toldBy(place, outcome));
  for (let attempt = 0; told.includes('conflict') && attempt < 100; attempt += 1) {
    if (attempt > 0) await tools.sleep(20);
    const left = items.filter((_, at) => told[at] === 'conflict');
    const settle = engine.settle?.bind(engine);
    if (!settle)
      throw new ContractViolation(action, 'an outcome is `conflict`, and there is no settle', 'there is one');
    const step = `${action}, and called settle() for what conflicts`;
    const later = await resolves(tools, step, () => settle(itemsOf(left), soon()));
    for (const [at, { number }] of left.entries()) {
      const index = items.findIndex((item) => item.number === number);
      told[index] = toldBy(place, later[at] ?? 'conflict');
    }
  }
  return told;
}

export function toldBy(place: Place, outcome: Outcome<unknown>): Told {
  if (outcome === 'conflict') return outcome;
  if ('refused' in outcome) return { refused: outcome.refused };
  const text = place.existing?.(outcome.done);
  return text === undefined ? 'written' : { existing: text };
}

/** Each item, and what became of it. @throws {ContractViolation} if it is not as expected. */
export function expectTold(
  items: readonly Numbered[],
  told: readonly Told[],
  expected: readonly Told[],
  action: string,
) {
  for (const [at, { text }] of items.entries())
    if (show(told[at]) !== show(expected[at]))
      throw new ContractViolation(action, `the outcome of ${show(text)} is ${show(told[at])}`, show(expected[at]));
}

/** @throws {ContractViolation} if the place has other items, or one of them twice. */
export async function expectStored({ place }: Subject, expected: readonly StoredItem[], action: string): Promise<void> {
  const byNumber = (items: readonly StoredItem[]) =>
    show(items.map(({ number, text }) => `${number}: ${text}`).toSorted());
  const [actual, wanted] = [byNumber(await place.stored()), byNumber(expected)];
  if (actual !== wanted) throw new ContractViolation(action, `stored is ${actual}`, `stored is ${wanted}`);
}

/**
 * Of items with equal keys that several batches had exactly one is stored, and each outcome says so. An error says nothing,
 * since what an engine may throw is for other clauses to check.
 */
export async function expectOneWinner(
  { place }: Subject,
  batches: readonly { readonly items: readonly Numbered[]; readonly told: readonly Told[] | undefined }[],
  action: string,
): Promise<void> {
  const stored = await place.stored();
  const numbers = new Set(batches.flatMap(({ items }) => items.map(({ number }) => number)));
  for (const number of numbers) {
    const rows = stored.filter((row) => row.number === number).map(({ text }) => text);
    if (rows.length > 1)
      throw new ContractViolation(action, `number ${number} is stored as ${show(rows)}`, 'one of them');
    for (const { items, told } of batches) {
      const at = items.findIndex((item) => item.number === number);
      const [outcome, text] = [told?.[at], items[at]?.text];
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

/** What a call resolves with, or throws. */
export type Result<V> = { readonly value: V } | { readonly error: unknown };

export async function resultOf<V>(call: () => Promise<V>): Promise<Result<V>> {
  try {
    return { value: await call() };
  } catch (error) {
    return { error };
  }
}

/** A deadline that no call is expected to meet. */
export const soon = () => performance.now() + 5_000;

/** A deadline that has passed after {@link tools.sleep} of {@link LATE_MS}. */
export const atOnce = () => performance.now() + LATE_MS / 2;

/** 100 ms. */
export const LATE_MS = 100;

/** 20 s: a call has ended by then unless it hangs, however busy the machine is. */
export const ENDS_MS = 20_000;
