import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

interface Panel {
  readonly title: string;
  readonly description?: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const file = join(import.meta.dirname, '../grafana/plant-store.json');
const panels: readonly Panel[] = JSON.parse(readFileSync(file, 'utf8')).panels;

/** What queries select by `http_response_status_code`, such as `200` or `!200`. */
const statusesOf = ({ targets = [] }: Panel) =>
  targets.flatMap(({ expr }) =>
    [...expr.matchAll(/http_response_status_code(!?)=~?"([^"]+)"/g)].map(([, not, status]) => `${not}${status}`),
  );

it('panels of durations say which statuses they show', () => {
  const durations = panels.filter(({ targets = [] }) =>
    targets.some(({ expr }) => /request_duration.*_bucket/.test(expr)),
  );
  expect(durations.map(({ title }) => title)).toEqual(['p99', 'Duration of creates', 'Duration of all requests']);
  for (const panel of durations) {
    const [status] = statusesOf(panel);
    expect(panel.description, panel.title).toContain(status === undefined ? 'any status' : `with status ${status}`);
  }
});
