import type { Graph } from './graphs.ts';
import type { Violation } from './violation.ts';

/** A violation for every circle that a walk over the graph closes: one at least for every set that stands in circles. */
export function cycles(graph: Graph): readonly Violation[] {
  const done = new Set<string>();
  const way: string[] = [];
  const found: Violation[] = [];

  function walk(path: string): void {
    way.push(path);
    for (const { to, line } of graph.get(path) ?? []) {
      const begin = way.indexOf(to);
      if (begin >= 0) {
        const what = `closes a circle: ${[...way.slice(begin), to].join(' → ')}`;
        found.push({ rule: 'no-cycles', path, line, what });
      } else if (!done.has(to)) walk(to);
    }
    way.pop();
    done.add(path);
  }

  for (const path of graph.keys()) if (!done.has(path)) walk(path);
  return found;
}
