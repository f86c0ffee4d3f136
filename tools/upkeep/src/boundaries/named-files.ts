import { Visitor, type VisitorObject } from 'oxc-parser';
import { literal, literalStart, type Node, plain, templateTexts } from './expressions.ts';
import type { Parsed } from './parsed.ts';

/** A place where a module names a file, or a folder, by its way from the module. */
export interface NamedFile {
  /** Relative to the module's folder, as far as it is written out. */
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
}

/**
 * Every file that a module names from where it stands: new URL('…', import.meta.url), join(import.meta.dirname, '…') and
 * whatever else is called with that folder, or the module's own path, first; `${import.meta.dirname}/…`,
 * import.meta.dirname + '/…'. Of a path that goes on with something computed it is the beginning; one that begins with
 * something computed, a variable too, is not seen.
 */
export function namedFilesIn({ text, program, lineOf }: Parsed): readonly NamedFile[] {
  const files: NamedFile[] = [];
  const written = ({ start, end }: Node) => plain(text.slice(start, end));
  const add = (from: string, path: string, { start }: Node) =>
    files.push({ path: `${from}/${path}`, line: lineOf(start) });
  const addFrom = (from: Node | undefined, path: string, node: Node) => {
    if (from && HERE.test(written(from))) add('.', path, node);
    // The module itself is a step more on the way.
    if (from && MODULE_ITSELF.test(written(from))) add('./module', path, node);
  };

  const visitor: VisitorObject = {
    NewExpression(node) {
      const [path, base] = node.arguments;
      if (written(node.callee) !== 'URL' || !path || !base || written(base) !== 'import.meta.url') return;
      if (!/^(\/|[a-z]+:)/i.test(literalStart(path))) add('.', literalStart(path), node);
    },
    CallExpression(node) {
      const [here, ...segments] = node.arguments;
      addFrom(here, beginning(segments), node);
    },
    TemplateLiteral(node) {
      const [before, after = ''] = templateTexts(node) ?? [];
      if (before === '') addFrom(node.expressions[0], after, node);
    },
    BinaryExpression(node) {
      addFrom(node.left, literalStart(node.right), node);
    },
  };
  new Visitor(visitor).visit(program);
  return files.toSorted((a, b) => a.line - b.line);
}

/** The folder of a module, in the words of ES modules and of CommonJS. */
const HERE =
  /^(import\.meta\.dirname|__dirname|(\w+\.)?dirname\((import\.meta\.filename|__filename|(\w+\.)?fileURLToPath\(import\.meta\.url\))\))$/;

const MODULE_ITSELF = /^(import\.meta\.filename|__filename|(\w+\.)?fileURLToPath\(import\.meta\.url\))$/;

/** The segments of a path up to the first that is computed, and what that begins with. */
function beginning(segments: readonly Node[]): string {
  const computed = segments.findIndex((segment) => literal(segment) === undefined);
  const known = computed < 0 ? segments : segments.slice(0, computed + 1);
  return known.map(literalStart).join('/');
}
