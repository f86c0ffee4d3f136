import { Visitor, type VisitorObject } from 'oxc-parser';
import { literal, type Node, plain } from './expressions.ts';
import type { Parsed } from './parsed.ts';

/** A place where a module names another one. */
export interface Reference {
  /** As it is written; undefined where it is computed when the module runs. */
  readonly specifier: string | undefined;
  /** Counted from 1. */
  readonly line: number;
}

/**
 * Every reference of a module to another, types included: import, export … from, import(), import('…').Type,
 * import x = require(), require(), import.meta.resolve(), the modules that Vitest mocks, and the ways around an import
 * that Node offers.
 */
export function referencesIn({ text, program, comments, lineOf }: Parsed): readonly Reference[] {
  const references: Reference[] = [];
  const add = (specifier: string | undefined, offset: number) => references.push({ specifier, line: lineOf(offset) });
  const addSource = ({ source }: { readonly source: Node | null }) => {
    if (source) add(literal(source), source.start);
  };

  const visitor: VisitorObject = {
    ImportDeclaration: addSource,
    ExportNamedDeclaration: addSource,
    ExportAllDeclaration: addSource,
    ImportExpression: addSource,
    TSImportType: addSource,
    TSExternalModuleReference: ({ expression }) => add(literal(expression), expression.start),
    CallExpression({ callee, arguments: [argument], start }) {
      const called = plain(text.slice(callee.start, callee.end));
      if (['require', 'require.resolve', 'import.meta.resolve'].includes(called))
        add(argument && literal(argument), start);
      // vi.mock(import('…')) is seen as the import that it is.
      if (MOCKED.test(called) && argument?.type !== 'ImportExpression') add(argument && literal(argument), start);
      if (called === 'createRequire' || called.endsWith('.createRequire') || called === 'process.getBuiltinModule')
        add(undefined, start);
    },
  };
  new Visitor(visitor).visit(program);

  for (const { value, start } of comments) {
    const [, kind, named = ''] = /^\/\s*<reference\s[^>]*?\b(types|path|lib)\s*=\s*["']([^"']+)/i.exec(value) ?? [];
    // `lib="dom"` brings a file of the compiler's along, with the globals of browsers.
    if (kind) add(kind.toLowerCase() === 'lib' ? `typescript/lib/lib.${named}.d.ts` : named, start);
  }
  return references.toSorted((a, b) => a.line - b.line);
}

/** Vitest's ways to replace a module, or to get the one that was replaced. */
const MOCKED = /(^|\.)(vi|vitest)\.(mock|doMock|unmock|doUnmock|importActual|importMock)$/;
