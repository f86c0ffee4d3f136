import type { NewPlant, Plant } from './plant.ts';

/**
 * The driven port that stores plants.
 *
 * The contract in `@plant-store/contracts-stores` checks each clause below under the same number; an adapter is correct
 * if it passes. A clause with a name in brackets binds the stores that have this {@link StoreCapabilities | capability}.
 *
 * What is stored
 * - **PR-1** An id MUST be stored exactly, over the whole int64 range.
 * - **PR-2** Texts MUST be stored exactly, code unit by code unit.
 * - **PR-3** An absent text and an empty one MUST stay different.
 *
 * What add returns
 * - **PR-4** `added` MUST be returned if, and only if, this very call stored the plant. If the adapter had to ask twice
 *   because a response of the engine was lost, it MAY return `exists` with this very plant instead.
 * - **PR-5** If the id is taken, `exists` MUST be returned with the plant that has it, which MUST stay unchanged.
 * - **PR-6** Of plants that race for one id exactly one MUST be stored; every other caller MUST get that one.
 * - **PR-7** [`shared`] PR-5 and PR-6 MUST hold across stores that are open on the same data at the same time.
 * - **PR-8** Changing an object that was passed in or returned MUST NOT change what is stored.
 * - **PR-9** An add whose id is taken MUST NOT affect concurrent adds.
 * - **PR-16** Nor MUST a plant that the store refuses for its own sake, which MUST fail with {@link PlantRefused}.
 * - **PR-24** [`durable`] Where every plant would be refused, add MUST throw {@link StoreUnavailable} and `check` as well, until
 *   that is fixed: none is refused for its own sake.
 *
 * When it returns
 * - **PR-10** [`durable`] Once add returns, the plant MUST be there after the store is closed and opened again.
 * - **PR-11** [`survivesCrash`] Once add returns, the plant MUST be there after the process was killed (SIGKILL).
 * - **PR-18** [`survivesServerCrash`] Once add returns, the plant MUST be there after the server behind the store was
 *   killed (SIGKILL) and started again; adds in flight then MUST throw {@link StoreUnavailable}.
 * - **PR-12** [`external`] If the store cannot answer, add MUST throw {@link StoreUnavailable} within
 *   {@link StoreCapabilities.timeoutMs}; it MUST NOT hang.
 * - **PR-13** [`external`] Once the store can answer again, adds MUST succeed again without anybody's help.
 * - **PR-23** [`durable`] Where plants would be lost or changed, `check` MUST throw {@link StoreUnavailable}, adds after that MUST
 *   throw it and store nothing, and opening MUST throw {@link StoreMisconfigured}. Once that is fixed, `check` and adds MUST
 *   succeed again without anybody's help.
 * - **PR-20** Whatever add throws MUST NOT show a text of a plant, in no property and in no cause: errors are logged.
 */
export interface PlantRepository {
  /**
   * Stores a plant under its id unless the id is taken. Retrying with the same plant is safe: it shows what is stored
   * (PR-5).
   *
   * @param plant a valid NewPlant; {@link createPlant} ensures that.
   * @throws {StoreUnavailable} if the store cannot answer; whether the plant was stored is then unknown.
   * @throws {PlantRefused} if the store refuses this very plant; retrying is of no use.
   */
  add(plant: NewPlant): Promise<AddResult>;
}

/** The outcome of {@link PlantRepository.add}: stored by this call, or the plant that already has the id. */
export type AddResult = { readonly outcome: 'added' } | { readonly outcome: 'exists'; readonly plant: Plant };

/**
 * What a storage adapter's opener returns: the repository with its lifecycle.
 *
 * - **PR-14** `check` MUST resolve while the store can answer an add.
 * - **PR-17** [`external`] `check` MUST throw {@link StoreUnavailable} within {@link StoreCapabilities.timeoutMs} while
 *   the store cannot answer, and MUST resolve again once it can.
 * - **PR-19** [`external`] Opening while the store cannot answer MUST, within {@link StoreCapabilities.timeoutMs}, resolve
 *   with a store that recovers by itself, or throw {@link StoreUnavailable}.
 * - **PR-25** [`durable`] Opening with a setting that waiting does not fix MUST throw {@link StoreMisconfigured} within
 *   {@link StoreCapabilities.timeoutMs}.
 * - **PR-22** [`survivesServerCrash`] `check` MUST throw {@link StoreUnavailable} within
 *   {@link StoreCapabilities.timeoutMs} while the server behind the store makes no commit durable, and MUST resolve once it does.
 * - **PR-15** `close` MUST let the adds in flight finish and MUST be safe to call again; every add and check after close
 *   was called MUST throw {@link StoreUnavailable}.
 */
export interface PlantStore {
  readonly plants: PlantRepository;
  /** Readiness: resolves if the store can answer, throws {@link StoreUnavailable} if it cannot. */
  check(): Promise<void>;
  /** Lets adds in flight finish and frees the store's resources. Safe to call more than once. */
  close(): Promise<void>;
}

/** What a storage adapter promises beyond the clauses that bind every store. */
export interface StoreCapabilities {
  /** A stored plant is there after the store is closed and opened again. */
  readonly durable: boolean;
  /** A stored plant is there after the process was killed. */
  readonly survivesCrash: boolean;
  /** A stored plant is there after the server was killed and started again; false for a store without a server. */
  readonly survivesServerCrash: boolean;
  /** Several stores, in one process or many, may be open on the same data at the same time. */
  readonly shared: boolean;
  /** The store depends on something outside the process that can fail to answer. */
  readonly external: boolean;
  /** The store tells an observer what it does: PR-21, with `StoreObserver` in `@plant-store/store-kit`. */
  readonly observed: boolean;
  /** The longest time, in milliseconds, until an add or a check settles, with default settings. */
  readonly timeoutMs: number;
}

/**
 * The store cannot answer: it is unreachable, too slow, overloaded or closed. Retrying with the same plant is safe.
 * The message is for the operator's log; `cause` holds the engine's own error if there is one.
 */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
}

/**
 * The store was opened with settings that cannot work, and waiting does not help: wrong credentials, a database that does
 * not exist, a missing privilege. A running service treats it as an outage, since a password may be in rotation; a command
 * that starts exits with the message.
 */
export class StoreMisconfigured extends StoreUnavailable {
  override readonly name: string = 'StoreMisconfigured';
}

/**
 * The store refuses this very plant, by a constraint, a trigger, a policy or a limit of its own. Sending it again will not
 * help, and other plants are stored. The message is for the operator's log; `cause` holds the engine's own error if there
 * is one.
 */
export class PlantRefused extends Error {
  override readonly name = 'PlantRefused';
}

/** The store has more to do than it can do in time, and refused the plant at once. */
export class StoreOverloaded extends StoreUnavailable {}
