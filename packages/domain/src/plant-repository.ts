import type { NewPlant, Plant } from './plant.ts';
import { PortError } from './port-error.ts';

/**
 * The driven port that stores plants.
 *
 * The contract in `@plant-store/contracts-stores` checks each clause below under the same number. A clause with a name in brackets
 * applies to stores with this {@link StoreCapabilities | capability}. Duties of the database (A1) and of its owner (A2) are in
 * `PROMISES.md`.
 *
 * What is stored
 * - **PR-1** An id MUST be stored exactly, over the whole int64 range.
 * - **PR-2** Texts MUST be stored exactly, code unit by code unit.
 * - **PR-3** An absent text and an empty one MUST stay different.
 *
 * What add returns
 * - **PR-4** `added` MUST be returned if, and only if, this call stored the plant. If the adapter retried because a response of the
 *   engine was lost, it MAY return `exists` with the same plant instead.
 * - **PR-5** If the id is taken, `exists` MUST be returned with the stored plant, which MUST stay unchanged.
 * - **PR-6** If concurrent adds have the same id, exactly one plant MUST be stored and the other callers MUST get it.
 * - **PR-7** [`shared`] PR-5 and PR-6 MUST hold across stores that are open on the same data at the same time.
 * - **PR-8** Changing an object that was passed in or returned MUST NOT change what is stored.
 * - **PR-9** An add whose id is taken MUST NOT change the results of concurrent adds.
 * - **PR-16** An add that the database refuses because of its plant MUST throw {@link PlantRefused}, and MUST NOT change the results of
 *   concurrent adds.
 * - **PR-26** PR-5 MUST hold for a stored plant that the database would refuse by now.
 *
 * When it returns
 * - **PR-10** [`durable`] Once add returns, the plant MUST be there after the store is closed and opened again.
 * - **PR-11** [`survivesCrash`] Once add returns, the plant MUST be there after the process was killed (SIGKILL), and no other
 *   one in part.
 * - **PR-18** [`survivesServerCrash`] Once add returns, the plant MUST be there after the server behind the store was killed (SIGKILL)
 *   and started again; adds in flight at that time MUST throw {@link StoreUnavailable}.
 * - **PR-12** [`external`] If the store cannot respond, add MUST throw {@link StoreUnavailable} within
 *   {@link StoreCapabilities.timeoutMs}.
 * - **PR-13** [`external`] Once the store can respond again, adds MUST succeed again without manual intervention.
 * - **PR-20** The message and the stack of an error of add, and those of its causes, MUST NOT contain a text of a plant: they are
 *   logged.
 */
export interface PlantRepository {
  /**
   * Stores a plant under its id unless the id is taken. Retrying with the same plant is safe (PR-5).
   *
   * @param plant a valid NewPlant; see {@link ValidNewPlant}.
   * @throws {StoreUnavailable} if the store cannot respond. Whether the plant was stored is then unknown.
   * @throws {PlantRefused} if the database refuses this plant. Retrying does not help until its owner changes that.
   */
  add(plant: NewPlant): Promise<AddResult>;
}

/** The outcome of {@link PlantRepository.add}: this call stored the plant, or `plant` already has the id. */
export type AddResult = { readonly outcome: 'added' } | { readonly outcome: 'exists'; readonly plant: Plant };

/**
 * The store cannot respond: it is unreachable, too slow, overloaded or closed. Retrying with the same plant is safe.
 * The message is for the operator's log; `cause` holds the engine's own error if there is one.
 */
export class StoreUnavailable extends PortError {
  static override readonly code: string = 'ERR_STORE_UNAVAILABLE';
}

/**
 * The settings of the store are wrong, or the database is unfit for plants: wrong credentials, a missing privilege, a table that cannot
 * hold every plant. Waiting does not help. A running service treats it as an outage. A command that is starting exits.
 */
export class StoreMisconfigured extends StoreUnavailable {
  static override readonly code: string = 'ERR_STORE_UNAVAILABLE_MISCONFIGURED';
}

/** The store is overloaded and rejected the plant at once. It was not stored. */
export class StoreOverloaded extends StoreUnavailable {
  static override readonly code: string = 'ERR_STORE_UNAVAILABLE_OVERLOADED';
}

/**
 * The database refuses this plant because of a constraint, a trigger, a policy or a limit. The message is for the operator's log;
 * `cause` holds the engine's own error if there is one.
 */
export class PlantRefused extends PortError {
  static override readonly code: string = 'ERR_PLANT_REFUSED';
}
