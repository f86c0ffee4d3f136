import type { NewPlant } from '@plant-store/domain';

/** What a process that adds plants is told by its parent. */
export interface AdderInput<Options> {
  readonly options: Options;
  readonly plants: readonly NewPlant[];
}
