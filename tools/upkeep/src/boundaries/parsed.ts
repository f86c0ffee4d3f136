import { type Comment, type Program, parseSync } from 'oxc-parser';

/** The text of a module, taken apart. */
export interface Parsed {
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
  /** The line of an offset in the text, counted from 1. */
  lineOf(offset: number): number;
}

/**
 * Takes a module apart.
 *
 * @throws {Error} when the text is not a module.
 */
export function parseModule(path: string, text: string): Parsed {
  const { program, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path} cannot be read: ${error.message}`);
  return { text, program, comments, lineOf: (offset) => text.slice(0, offset).split('\n').length };
}
