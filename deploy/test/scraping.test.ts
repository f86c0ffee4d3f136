import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Relabeling {
  readonly source_labels: readonly string[];
  readonly regex?: string;
  readonly action?: string;
}

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const { metadata, spec } = parse(read('kubernetes/deployment.yaml')).spec.template;
const ports: readonly { readonly name: string }[] = spec.containers[0].ports;
const rules = read('prometheus/plant-store.rules.yaml');

it('the alerts select one job', () => {
  expect(new Set([...rules.matchAll(/job=~?"([^"]*)"/g)].map(([, job]) => job))).toEqual(new Set(['plant-store']));
});

describe('Prometheus itself', () => {
  const { rule_files, scrape_configs } = parse(read('prometheus/prometheus.yaml'));
  const [{ job_name, metrics_path = '/metrics', relabel_configs }] = scrape_configs;
  const relabelings: readonly Relabeling[] = relabel_configs;

  it('scrapes the job that the alerts select, and loads the alerts', () => {
    expect({ rule_files, job_name, metrics_path }).toEqual({
      rule_files: ['plant-store.rules.yaml'],
      job_name: 'plant-store',
      metrics_path: '/metrics',
    });
  });

  it('finds the running pods of the Deployment, by the admin port only', () => {
    const isTarget = (labels: Readonly<Record<string, string>>) =>
      relabelings.every(({ source_labels, regex, action }) => {
        const matches = new RegExp(`^(?:${regex})$`).test(source_labels.map((name) => labels[name] ?? '').join(';'));
        return action === 'keep' ? matches : action === 'drop' ? !matches : true;
      });
    const found = ['Running', 'Failed'].flatMap((phase) =>
      ports.filter(({ name }) => isTarget({ ...discovered(name), __meta_kubernetes_pod_phase: phase })),
    );
    expect(found).toEqual([{ name: 'admin', containerPort: 3001 }]);
  });
});

it("the Prometheus Operator finds the same pods and port, under the alerts' job", () => {
  const { jobLabel, selector, podMetricsEndpoints } = parse(read('prometheus/pod-monitor.yaml')).spec;
  expect(metadata.labels).toMatchObject(selector.matchLabels);
  expect(metadata.labels[jobLabel]).toBe('plant-store');
  expect(podMetricsEndpoints).toEqual([{ port: 'admin' }]);
});

/** The labels that Prometheus' service discovery sets for a port of a pod. */
function discovered(port: string): Record<string, string> {
  const labels = Object.entries<string>(metadata.labels).map(([name, value]) => [
    `__meta_kubernetes_pod_label_${name.replace(/\W/g, '_')}`,
    value,
  ]);
  return { ...Object.fromEntries(labels), __meta_kubernetes_pod_container_port_name: port };
}
