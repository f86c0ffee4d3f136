import { memberNames, methodsOf } from '@plant-store/contracts-kit';
import type { PlantStore } from '@plant-store/domain';

/**
 * Every method of a store and of its ports, such as `check` and `plants.add`. A port is a member that is an object, or a getter. Code that only
 * forwards calls takes the methods from here and makes a store of them by `forwarding`, so that a new method or port needs no line
 * there.
 */
export function methodsOfStore(store: PlantStore): ReturnType<typeof methodsOf> {
  const ports = memberNames(store).filter((name) => typeof Reflect.get(store, name) === 'object');
  return methodsOf(store, ...ports);
}
