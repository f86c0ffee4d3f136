import { BlockList, isIPv4 } from 'node:net';

/** The parameters of an engine's connection URLs: the values that each may have, or undefined where any text is one. */
export type KnownParameters = Readonly<Record<string, readonly string[] | undefined>>;

/** How an engine's connection URLs are read. Needs no driver, so that a configuration can be checked without loading one. */
export interface UrlGrammar {
  /** A connection string cannot be used. The reason repeats nothing of it, all of which may be part of a password. */
  unusable(reason: string, options?: ErrorOptions): Error;
  /**
   * The parameters of a URL's query, by name. A misspelt one would otherwise be passed over in silence, and the password
   * sent in plaintext.
   *
   * @throws {Error} for one that is unknown, empty, given twice, or has a value that it cannot have.
   */
  readParameters(search: URLSearchParams): ReadonlyMap<string, string>;
}

/** @param scheme that of the URL in error messages: `postgres`. */
export function urlGrammar(scheme: string, parameters: KnownParameters): UrlGrammar {
  const known = new Map(Object.entries(parameters));

  function unusable(reason: string, options?: ErrorOptions): Error {
    return new Error(
      `the connection string cannot be used (${reason}): give ${scheme}://user:password@host:port/database, with special characters percent-encoded`,
      options,
    );
  }

  /** The parameter that a misspelt one stands for, or all there are; a few are shown in any case. */
  function meant(name: string): string {
    const names = [...known.keys()];
    const given = spellings(name);
    const similar = names.find((each) => spellings(each).some((spelling) => given.includes(spelling)));
    return similar && names.length > FEW ? `did you mean ${similar}?` : `expected ${anyOf(names)}`;
  }

  return {
    unusable,
    readParameters(search) {
      const read = new Map<string, string>();
      for (const [at, [name, value]] of [...search].entries()) {
        if (!known.has(name)) throw unusable(`parameter ${at + 1} of ${search.size} is unknown: ${meant(name)}`);
        if (value === '') throw unusable(`${name} is empty: give it a value or remove it`);
        if (read.has(name)) throw unusable(`${name} is given twice: keep one`);
        const values = known.get(name);
        if (values && !values.includes(value)) throw unusable(`${name}: expected ${anyOf(values)}`);
        read.set(name, value);
      }
      return read;
    },
  };
}

/** The most parameters that a message lists although it knows which one was meant. */
const FEW = 5;

/** A name in lower case, and without any one of its letters: names with one in common differ by one slip. */
function spellings(name: string): readonly string[] {
  const letters = name.toLowerCase().replace(/[^a-z]/g, '');
  return [letters, ...Array.from(letters, (_, at) => letters.slice(0, at) + letters.slice(at + 1))];
}

/** Values for a message: `a, b or c`. */
export function anyOf(values: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(values);
}

/**
 * Whether a host is the directory of a unix socket or a loopback address, which nobody else can listen to. Not by its
 * prefix: 127.0.0.1.example.com is a name that anybody may own.
 */
export function isThisMachine(host: string): boolean {
  if (host.startsWith('/') || ['localhost', '::1', '[::1]'].includes(host)) return true;
  return isIPv4(host) && loopback.check(host);
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
