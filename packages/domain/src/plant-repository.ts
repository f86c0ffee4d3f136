import type { NewPlant, Plant } from './plant.ts';

/**
 * The driven port behind which plants are kept.
 *
 * Each clause below is checked, under the same number, by the contract in `@plant-store/contracts-stores`; an adapter
 * is correct when the contract says so. A clause marked with a name in brackets binds the stores that promise it in
 * their {@link StoreCapabilities}.
 *
 * What is stored
 * - **PR-1** An id MUST be kept exactly, over the whole int64 range.
 * - **PR-2** A name and a tag MUST be kept exactly, code unit by code unit.
 * - **PR-3** An absent tag and an empty tag MUST stay different.
 *
 * What is answered
 * - **PR-4** `added` MUST be answered when, and only when, this very call stored the plant. Where the adapter had to ask
 *   twice because an answer of the engine was lost, `exists` with this very plant MAY be answered instead.
 * - **PR-5** Where the id is taken, `exists` MUST be answered with the plant that has it, which MUST stay unchanged.
 * - **PR-6** Of the plants that race for one id exactly one MUST be stored; every other caller MUST get that one.
 * - **PR-7** [`shared`] PR-5 and PR-6 MUST hold across stores that are open on the same data at the same time.
 * - **PR-8** Neither the object passed in nor one handed out MUST give a way to change what is stored.
 * - **PR-9** An add whose id is taken MUST leave the adds beside it alone.
 * - **PR-16** So MUST a plant that the store refuses for its own sake, and it MUST be refused with another error than
 *   {@link StoreUnavailable}, which would say «send it again».
 *
 * When it is answered
 * - **PR-10** [`durable`] An answer MUST mean that the plant is there after the store is closed and opened again.
 * - **PR-11** [`survivesCrash`] An answer MUST mean that the plant is there after the process was killed (SIGKILL).
 * - **PR-18** [`survivesServerCrash`] An answer MUST mean that the plant is there after the server behind the store was
 *   killed (SIGKILL) and started again; what it leaves unanswered MUST throw {@link StoreUnavailable}.
 * - **PR-12** [`external`] Where the store cannot answer, {@link StoreUnavailable} MUST be thrown within
 *   {@link StoreCapabilities.timeoutMs}; an add MUST NOT hang.
 * - **PR-13** [`external`] Once the store can answer again, adds MUST succeed again without anybody's help.
 */
export interface PlantRepository {
  /**
   * Stores a plant under its id unless the id is taken. Asking again with the same plant is safe: it shows what is
   * stored (PR-5).
   *
   * @param plant a valid NewPlant; {@link createPlant} sees to that.
   * @throws {StoreUnavailable} when the store cannot answer; whether the plant was stored is then unknown.
   * @throws another error when the store refuses this very plant; sending it again is of no use.
   */
  add(plant: NewPlant): Promise<AddResult>;
}

/** The outcome of {@link PlantRepository.add}: stored just now, or the plant that already has the id. */
export type AddResult = { readonly outcome: 'added' } | { readonly outcome: 'exists'; readonly plant: Plant };

/**
 * What a storage adapter's opener returns: the repository with its operator's side.
 *
 * - **PR-14** `check` MUST resolve while the store can answer an add.
 * - **PR-17** [`external`] `check` MUST throw {@link StoreUnavailable} within {@link StoreCapabilities.timeoutMs} while
 *   the store cannot answer, and MUST resolve again once it can.
 * - **PR-15** `close` MUST let the adds in flight finish, MUST be safe to call again, and every add and check after close
 *   was called MUST throw {@link StoreUnavailable}.
 */
export interface PlantStore {
  readonly plants: PlantRepository;
  /** Readiness: resolves when the store can answer, throws {@link StoreUnavailable} when it cannot. */
  check(): Promise<void>;
  /** Lets what is in flight finish and frees what the store holds. Safe to call more than once. */
  close(): Promise<void>;
}

/** What a storage adapter promises beyond the clauses that bind every store; its manifest. */
export interface StoreCapabilities {
  /** What was answered is there after the store is closed and opened again. */
  readonly durable: boolean;
  /** What was answered is there after the process was killed. */
  readonly survivesCrash: boolean;
  /**
   * What was answered is there after the server behind the store was killed and started again. False for a store without
   * a server.
   */
  readonly survivesServerCrash: boolean;
  /** Several stores, in one process or many, may be open on the same data at the same time. */
  readonly shared: boolean;
  /** The store depends on something outside the process that can fail to answer. */
  readonly external: boolean;
  /** The longest time, in milliseconds, until an add or a check is answered or throws, with default settings. */
  readonly timeoutMs: number;
}

/**
 * The store cannot answer: it is out of reach, too slow, overloaded or closed. Sending the same plant again is safe.
 * The message is for the operator's log; `cause` holds the engine's own error where there is one.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/**
 * The store lets nobody in as it was opened, and waiting does not help: wrong credentials, a database that does not exist,
 * a right that was not granted. A service that runs takes it for an outage, since whoever rotates a password may be half
 * done; a command that begins ends with the message.
 */
export class StoreMisconfigured extends StoreUnavailable {}

/** The store has more to do than it could do in time, and refused the plant at once. */
export class StoreOverloaded extends StoreUnavailable {}
