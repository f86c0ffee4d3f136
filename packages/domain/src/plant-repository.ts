import type { NewPlant, Plant } from './plant.ts';

/**
 * The driven port behind which plants are kept.
 *
 * Each clause below is checked, under the same number, by the contract in `@plant-store/domain/contract`; an adapter
 * is correct when the contract says so. A clause marked with a name in brackets binds the stores that promise it in
 * their {@link StorePromises}.
 *
 * What is stored
 * - **PR-1** An id MUST be kept exactly, over the whole int64 range.
 * - **PR-2** A name and a tag MUST be kept exactly, code unit by code unit.
 * - **PR-3** An absent tag and an empty tag MUST stay different.
 *
 * What is answered
 * - **PR-4** `added` MUST be answered when, and only when, this very call stored the plant.
 * - **PR-5** Where the id is taken, `exists` MUST be answered with the plant that has it, which MUST stay unchanged.
 * - **PR-6** Of the plants that race for one id exactly one MUST be stored; every other caller MUST get that one.
 * - **PR-7** [`shared`] PR-5 and PR-6 MUST hold across stores that are open on the same data at the same time.
 * - **PR-8** Neither the object passed in nor one handed out MUST give a way to change what is stored.
 * - **PR-9** An add that the store refuses or that fails MUST leave the adds beside it alone.
 *
 * When it is answered
 * - **PR-10** [`durable`] An answer MUST mean that the plant is there after the store is closed and opened again.
 * - **PR-11** [`survivesCrash`] An answer MUST mean that the plant is there after the process was killed (SIGKILL).
 * - **PR-12** [`external`] Where the store cannot answer, {@link StoreUnavailable} MUST be thrown within
 *   {@link StorePromises.answersWithinMs}; an add MUST NOT hang.
 * - **PR-13** [`external`] Once the store can answer again, adds MUST succeed again without anybody's help.
 */
export interface PlantRepository {
  /**
   * Stores a plant under its id unless the id is taken. Asking again with the same plant is safe: it shows what is
   * stored (PR-5).
   *
   * @param plant a valid NewPlant; {@link createPlant} sees to that.
   * @throws {StoreUnavailable} when the store cannot answer; whether the plant was stored is then unknown.
   */
  add(plant: NewPlant): Promise<AddResult>;
}

/** The outcome of {@link PlantRepository.add}: stored just now, or the plant that already has the id. */
export type AddResult = { readonly outcome: 'added' } | { readonly outcome: 'exists'; readonly plant: Plant };

/**
 * What a storage adapter's opener returns: the repository with its operator's side.
 *
 * - **PR-14** `check` MUST resolve while the store can answer an add, and [`external`] MUST throw
 *   {@link StoreUnavailable} within {@link StorePromises.answersWithinMs} while it cannot.
 * - **PR-15** `close` MUST let the adds in flight finish, MUST be safe to call again, and every add and check after close was called
 *   MUST throw {@link StoreUnavailable}.
 */
export interface PlantStore {
  readonly plants: PlantRepository;
  /** Readiness: resolves when the store can answer, throws {@link StoreUnavailable} when it cannot. */
  check(): Promise<void>;
  /** Lets what is in flight finish and frees what the store holds. Safe to call more than once. */
  close(): Promise<void>;
}

/** What a storage adapter promises beyond the clauses that bind every store; its manifest. */
export interface StorePromises {
  /** What was answered is there after the store is closed and opened again. */
  readonly durable: boolean;
  /** What was answered is there after the process was killed. */
  readonly survivesCrash: boolean;
  /** Several stores, in one process or many, may be open on the same data at the same time. */
  readonly shared: boolean;
  /** The store depends on something outside the process that can fail to answer. */
  readonly external: boolean;
  /** The longest time, in milliseconds, until an add or a check is answered or throws, with default settings. */
  readonly answersWithinMs: number;
}

/**
 * The store cannot answer: it is out of reach, too slow, overloaded or closed. Sending the same plant again is safe.
 * The message is for the operator's log; `cause` holds the engine's own error where there is one.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
