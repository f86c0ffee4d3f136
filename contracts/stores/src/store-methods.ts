import { methodsOf } from '@plant-store/contracts-kit';
import type { PlantStore } from '@plant-store/domain';

type PortOf<T> = { [Name in keyof T]-?: T[Name] extends (...given: never[]) => unknown ? never : Name }[keyof T];

/** The ports of a store. The compiler asks here for one that {@link PlantStore} gains. */
const PORTS: Readonly<Record<PortOf<PlantStore>, true>> = { plants: true };

/**
 * Every method of a store and of its ports, such as `check` and `plants.add`. Code that only forwards calls takes the methods from
 * here and makes a store of them by `forwarding`, so that a new method needs no line there.
 */
export function methodsOfStore(store: PlantStore): ReturnType<typeof methodsOf> {
  return methodsOf(store, ...Object.keys(PORTS));
}
