import { readFileSync } from 'node:fs';
import { freshDatabase } from '@plant-store/testing-postgres';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { create, type RunningService, startService } from '../running-service.ts';
import { type Sample, scrape } from '../telemetry/exposition.ts';
import { readPromql } from '../telemetry/promql.ts';

const read = (path: string) => readFileSync(new URL(`../../../../deploy/${path}`, import.meta.url), 'utf8');

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const dashboard: { readonly panels: readonly Panel[]; readonly templating: { readonly list: readonly object[] } } =
  JSON.parse(read('grafana/plant-store.json'));
const rules: readonly Rule[] = parse(read('prometheus/plant-store.rules.yaml')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);

const charts = dashboard.panels.filter(({ type }) => type !== 'row');
const expressions = [
  ...charts.flatMap(({ title, targets = [] }) => targets.map(({ expr }): [string, string] => [title, expr])),
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
];

describe('the metrics that the dashboard and the alerts ask for', () => {
  let service: RunningService;
  let samples: readonly Sample[];

  beforeAll(async () => {
    service = await startService({ DATABASE_URL: await freshDatabase() });
    await vi.waitFor(() => expect(service.output()).toContain('Press Ctrl-C to stop'), 10_000);
    await create(service.url, { id: 1, name: 'Fern' });
    // Has no samples before the first garbage collection.
    await vi.waitFor(async () => {
      await create(service.url, { id: 2, name: 'Fern'.repeat(200_000) });
      samples = await scrape(service.adminUrl);
      expect(samples.some(({ name }) => name === 'nodejs_gc_duration_seconds_sum')).toBe(true);
    }, 20_000);
  });

  afterAll(() => void service.process.kill('SIGKILL'));

  test.each(expressions)('%s: %s', (_, expression) => {
    // What Grafana puts in for its own variable.
    const { metrics, labels } = readPromql(expression.replaceAll('$__rate_interval', '5m'));
    expect(metrics.length).toBeGreaterThan(0);
    // Prometheus' own, of every target, and the labels that it gives all of them.
    const asked = metrics.filter((name) => name !== 'up');
    const found = samples.filter(({ name }) => asked.includes(name));
    expect(new Set(found.map(({ name }) => name))).toEqual(new Set(asked));
    const known = new Set(['job', 'instance', ...found.flatMap((sample) => Object.keys(sample.labels))]);
    expect(labels.filter((label) => !known.has(label))).toEqual([]);
  });

  test("the dashboard's variables have values", () => {
    const names = JSON.stringify(dashboard.templating).matchAll(/label_values\((\w+)/g);
    for (const [, name] of names) expect(samples.map((sample) => sample.name)).toContain(name);
  });
});

const requestDuration = /http_server_request_duration_seconds_(?:bucket|count)\{[^}]*\}/g;

test('rejections, which are fast, are not part of any duration quantile', () => {
  const quantiles = expressions.filter(([, text]) => /histogram_quantile.*http_server/s.test(text));
  expect(quantiles.length).toBeGreaterThan(4);
  for (const [, text] of quantiles)
    for (const [selector] of text.matchAll(requestDuration)) {
      expect(selector).toMatch(/http_request_method="POST", ?http_route="\/plants", ?http_response_status_code="200"/);
    }
});

test('rejections are not counted in the error rate', () => {
  const shares = expressions.filter(([title]) => /PlantStoreFails|Server errors/.test(title));
  expect(shares).toHaveLength(2);
  for (const [, text] of shares) {
    const statuses = [...text.matchAll(requestDuration)].map(
      ([selector]) => /status_code=~"(.*?)"/.exec(selector)?.[1],
    );
    expect(statuses).toEqual(['5..', '[25]..']);
  }
});

test('every chart has a query, and every alert has a runbook', () => {
  expect(charts.length).toBeGreaterThan(15);
  expect(charts.filter(({ targets = [] }) => targets.length === 0)).toEqual([]);
  expect(rules.length).toBeGreaterThan(8);
  for (const { annotations } of rules) expect(annotations.runbook.length).toBeGreaterThan(40);
});

test.each(['sum(rate(x[5m])', 'rate(x)) by', 'x{y=1}', ''])('the grammar rejects invalid PromQL: %s', (text) => {
  expect(() => readPromql(text)).toThrow(SyntaxError);
});
