import { parseSync, Visitor, type VisitorObject } from 'oxc-parser';

/** A place where a module names another one. */
export interface Reference {
  /** As it is written; undefined where it is computed when the module runs. */
  readonly specifier: string | undefined;
  /** Counted from 1. */
  readonly line: number;
}

/**
 * Every reference of a module to another, types included: import, export … from, import(), import('…').Type,
 * import x = require(), require(), import.meta.resolve(), new URL('…', import.meta.url), and the ways around an import that Node offers.
 *
 * @throws {Error} when the text is not a module.
 */
export function referencesIn(path: string, text: string): readonly Reference[] {
  const { program, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path} cannot be read: ${error.message}`);

  const references: Reference[] = [];
  const add = (specifier: string | undefined, offset: number) =>
    references.push({ specifier, line: text.slice(0, offset).split('\n').length });
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
      if (called === 'createRequire' || called.endsWith('.createRequire') || called === 'process.getBuiltinModule')
        add(undefined, start);
    },
    NewExpression({ callee, arguments: [argument, base], start }) {
      const specifier = argument && literal(argument);
      if (text.slice(callee.start, callee.end) !== 'URL' || !specifier || !base) return;
      // Data beside a module is as much its owner's as code.
      if (plain(text.slice(base.start, base.end)) !== 'import.meta.url' || /^(\/|[a-z]+:)/i.test(specifier)) return;
      add(specifier.startsWith('.') ? specifier : `./${specifier}`, start);
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

/** The extensions of files that are modules. */
export const MODULE: RegExp = /^\.[cm]?[jt]sx?$/;

interface Node {
  readonly type: string;
  readonly start: number;
}

/** `a.b` of `a . b`, `a?.b` and `a['b']`. */
function plain(expression: string): string {
  return expression.replaceAll(/\s|\?(?=\.)/g, '').replaceAll(/\.?\[(['"`])(\w+)\1\]/g, '.$2');
}

function literal(node: Node): string | undefined {
  if (node.type === 'Literal' && 'value' in node && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral' || !('quasis' in node)) return undefined;
  const quasis = node.quasis as readonly { readonly value: { readonly cooked: string } }[];
  return quasis.length === 1 ? quasis[0]?.value.cooked : undefined;
}
