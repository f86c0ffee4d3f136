import type { NewPlant } from '@plant-store/domain';

/** What a process that adds plants is told by its parent. */
export interface AdderInput<Options> {
  readonly options: Options;
  readonly plants: readonly NewPlant[];
}

/** What it tells its parent: an add of this plant has returned. */
export interface Acknowledgement {
  readonly plant: NewPlant;
  /** Another caller saw the plant before the one who added it knew that it is durable: the best moment to kill. */
  readonly isEarly: boolean;
}
