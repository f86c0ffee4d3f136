import { Visitor, type VisitorObject } from 'oxc-parser';
import { plain } from './expressions.ts';
import type { Parsed } from './parsed.ts';

/** A place where a module takes for granted what the compiler does not know of. */
export interface Assumption {
  /** `declares what is not there`. */
  readonly what: string;
  /** Counted from 1. */
  readonly line: number;
}

/**
 * Ambient declarations, globalThis, code made of text (eval, Function, which every function's constructor is), and
 * comments that silence the compiler: ways to a global without an import.
 */
export function assumptionsIn({ text, program, comments, lineOf }: Parsed): readonly Assumption[] {
  const assumptions: Assumption[] = [];
  const add = (what: string, offset: number) => assumptions.push({ what, line: lineOf(offset) });
  const addAmbient = ({ declare, start }: { readonly declare?: boolean | undefined; readonly start: number }) => {
    if (declare) add('declares what something else has to bring', start);
  };

  const visitor: VisitorObject = {
    VariableDeclaration: addAmbient,
    FunctionDeclaration: addAmbient,
    TSDeclareFunction: addAmbient,
    ClassDeclaration: addAmbient,
    TSEnumDeclaration: addAmbient,
    TSModuleDeclaration: addAmbient,
    Identifier({ name, start }) {
      if (['globalThis', 'Function', 'eval'].includes(name)) add(`reaches for ${name}`, start);
    },
    MemberExpression({ start, end }) {
      if (plain(text.slice(start, end)).endsWith('.constructor')) add('reaches for a constructor', start);
    },
    Property({ key, start }) {
      if (/^(['"`]?)constructor\1$/.test(text.slice(key.start, key.end))) add('reaches for a constructor', start);
    },
  };
  new Visitor(visitor).visit(program);

  for (const { value, start } of comments) {
    const [directive] = /@ts-(ignore|expect-error|nocheck)\b/.exec(value) ?? [];
    if (directive) add(`silences the compiler by ${directive}`, start);
  }
  return assumptions.toSorted((a, b) => a.line - b.line);
}
