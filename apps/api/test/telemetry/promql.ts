import { parser } from '@prometheus-io/lezer-promql';

/** What an expression of PromQL asks for. */
export interface Asked {
  readonly metrics: readonly string[];
  /** Labels by which it chooses or groups. */
  readonly labels: readonly string[];
}

/**
 * Reads an expression with Prometheus' own grammar.
 * @throws {SyntaxError} when it is not PromQL.
 */
export function readPromql(expression: string): Asked {
  const metrics: string[] = [];
  const labels: string[] = [];
  parser.parse(expression).iterate({
    enter({ type, from, to, node }) {
      const text = expression.slice(from, to);
      if (type.isError) throw new SyntaxError(`not PromQL at ${from}: ${expression}`);
      if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector') metrics.push(text);
      if (type.name === 'LabelName') labels.push(text);
    },
  });
  return { metrics, labels };
}
