/** A method, whatever it takes and returns. */
export type Method = (...given: readonly unknown[]) => unknown;

/** The names of the members of an object and of its classes. */
export function memberNames(object: object): readonly string[] {
  const names = new Set<string>();
  for (let owner = object; owner && owner !== Object.prototype; owner = Object.getPrototypeOf(owner))
    for (const name of Object.getOwnPropertyNames(owner)) names.add(name);
  return [...names];
}

/**
 * The methods of an object and of its classes by name, bound to it.
 * @param parts members of the object whose methods are meant as well, under names such as `plants.add`.
 */
export function methodsOf(object: object, ...parts: readonly string[]): Readonly<Record<string, Method>> {
  const members = object as Readonly<Record<string, unknown>>;
  const methods: Record<string, Method> = {};
  for (const name of memberNames(object)) {
    const method = members[name];
    if (typeof method === 'function' && name !== 'constructor') methods[name] = method.bind(object);
  }
  for (const part of parts)
    for (const [name, method] of Object.entries(methodsOf(Object(members[part])))) methods[`${part}.${name}`] = method;
  return methods;
}

/**
 * An object with methods of these names, each of which forwards its name and its arguments. Its promise rejects with what the call
 * throws.
 *
 * @param names as {@link methodsOf} has them.
 */
export function forwarding<T>(names: readonly string[], call: (name: string, given: readonly unknown[]) => unknown): T {
  const object: Record<string, unknown> = {};
  for (const name of names) {
    const method = async (...given: readonly unknown[]) => call(name, given);
    const [part = '', ofPart] = name.split('.');
    object[part] = ofPart ? { ...Object(object[part]), [ofPart]: method } : method;
  }
  return object as T;
}
