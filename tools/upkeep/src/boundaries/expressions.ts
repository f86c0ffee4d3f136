/** A node of the tree that oxc-parser makes, as far as every one of them is alike. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** `a.b` of `a . b`, `a?.b` and `a['b']`. */
export function plain(expression: string): string {
  return expression.replaceAll(/\s|\?(?=\.)/g, '').replaceAll(/\.?\[(['"`])(\w+)\1\]/g, '.$2');
}

/** The text that an expression is; undefined where it is computed. */
export function literal(node: Node): string | undefined {
  const [first, ...others] = templateTexts(node) ?? [];
  if (first !== undefined) return others.length === 0 ? first : undefined;
  return node.type === 'Literal' && 'value' in node && typeof node.value === 'string' ? node.value : undefined;
}

/** The text that an expression begins with, as far as it is written out; empty where nothing is. */
export function literalStart(node: Node): string {
  if (node.type === 'BinaryExpression' && 'left' in node) return literalStart(node.left as Node);
  return literal(node) ?? templateTexts(node)?.[0] ?? '';
}

/** The texts of a template between its expressions; undefined where it is none. */
export function templateTexts(node: Node): readonly string[] | undefined {
  if (node.type !== 'TemplateLiteral' || !('quasis' in node)) return undefined;
  const quasis = node.quasis as readonly { readonly value: { readonly cooked: string } }[];
  return quasis.map(({ value }) => value.cooked);
}
