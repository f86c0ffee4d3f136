/** One line of Prometheus' text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/). Throws for any other line. */
function samplesIn(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^([a-z_:]\w*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
      // A mean of nothing is not a number: the event loop since the last scrape.
      if (name === '' || (Number.isNaN(Number(value)) && !/^nan$/i.test(value)))
        throw new Error(`not a sample: ${line}`);
      return { name, value: Number(value), labels: labelsIn(labels) };
    });
}

function labelsIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value]));
}

/** The metrics of a service that runs. */
export async function scrape(adminUrl: string): Promise<Sample[]> {
  const response = await fetch(`${adminUrl}/metrics`);
  if (response.status !== 200) throw new Error(`/metrics: ${response.status} ${await response.text()}`);
  return samplesIn(await response.text());
}

/** The sum of the samples with this name and these labels. */
export function sumOf(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>> = {}): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
