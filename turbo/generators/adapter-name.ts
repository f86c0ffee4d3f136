/** The ways in which an adapter's name is written, and those that the templates have in their places. */
export interface AdapterNames {
  /** In files, packages and URL schemes. */
  readonly kebab: string;
  /** In names that begin with it: `newEngineCapabilities`. */
  readonly camel: string;
  /** In names of types, and behind a verb: `openNewEngine`. */
  readonly pascal: string;
  /** In names of variables: `TEST_NEW_ENGINE_URL`. */
  readonly constant: string;
}

/**
 * What is wrong with the name, and what to do about it; undefined when it can be used.
 *
 * @param folders of the packages that there are.
 */
export function faultOfName(name: string, folders: readonly string[]): string | undefined {
  if (name === '') return 'the name of the engine is missing, for example lmdb';
  if (!/^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/.test(name))
    return `${JSON.stringify(name)} is not in kebab case; write it in lower case, words joined by hyphens, for example my-engine`;
  const taken = folders.find((each) => each === `adapters-${name}` || each === `testing-${name}`);
  return taken && `packages/${taken} is there already; choose another name`;
}

/** The ways to write a name that has no fault. */
export function adapterNames(kebab: string): AdapterNames {
  const pascal = kebab.replace(/(^|-)([a-z])/g, (_, __, first: string) => first.toUpperCase());
  const camel = pascal.replace(/^./, (first) => first.toLowerCase());
  return { kebab, pascal, camel, constant: kebab.toUpperCase().replaceAll('-', '_') };
}

/** The text of a template with the adapter's names in the places of the template's. */
export function renamed(text: string, { kebab, camel, pascal, constant }: AdapterNames): string {
  return text
    .replaceAll('new-engine', kebab)
    .replaceAll('newEngine', camel)
    .replaceAll('NewEngine', pascal)
    .replaceAll('NEW_ENGINE', constant);
}
