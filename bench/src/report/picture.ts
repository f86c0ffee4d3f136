import { LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Run } from './run.ts';

const lines = [
  ['service-postgres', 'the service', '#1a7f37'],
  ['minimal-batcher', 'minimal batcher', '#0969da'],
  ['bare', 'plain Fastify + Kysely', '#bc4c00'],
] as const;

const PANEL = { width: 240, height: 220, left: 70, top: 90, gap: 70 };

/** Requests/s over the time of a sync, a panel for each number of connections, as SVG. The runs are of the suite `disk`. */
export function picture(runs: readonly Run[]): string {
  const points = runs.flatMap(({ suite, machine, summaries }) =>
    summaries.flatMap(({ contestant, scenario, figures }) => {
      const [, connections, delay = '0'] = /^([\d,]+ connections?)(?:, sync \+ ([\d.]+) ms)?$/.exec(scenario) ?? [];
      if (suite !== 'disk' || connections === undefined) return [];
      return [{ contestant, connections, sync: machine.diskSync.p50 + Number(delay), rate: figures.requestsPerSecond }];
    }),
  );
  const panels = [...Map.groupBy(points, ({ connections }) => connections)];
  if (panels.length === 0) throw new Error('there is no run of the suite disk');
  const left = (panel: number) => PANEL.left + panel * (PANEL.width + PANEL.gap);
  use([LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);
  const size = { width: left(panels.length), height: PANEL.top + PANEL.height + 60 };
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...size });
  chart.setOption({
    animation: false,
    backgroundColor: '#fff',
    title: [
      { text: 'Requests/s over the time of a sync, one process and PostgreSQL on 2 cores', left: 8, top: 8 },
      ...panels.map(([text], at) => ({ text, left: left(at), top: 62, textStyle: { fontSize: 13 } })),
    ],
    legend: { top: 36, left: 8, data: lines.map(([, name]) => name) },
    grid: panels.map((_, at) => ({ left: left(at), top: PANEL.top, width: PANEL.width, height: PANEL.height })),
    xAxis: panels.map((_, gridIndex) => ({ gridIndex, name: 'sync, ms', nameLocation: 'middle', nameGap: 28, min: 0 })),
    yAxis: panels.map((_, gridIndex) => ({ gridIndex, min: 0 })),
    series: panels.flatMap(([, ofPanel], at) =>
      lines.map(([contestant, name, color]) => ({
        ...{ name, color, type: 'line', xAxisIndex: at, yAxisIndex: at },
        data: ofPanel
          .filter((point) => point.contestant === contestant)
          .map(({ sync, rate }) => [sync, Math.round(rate)]),
      })),
    ),
  });
  const svg = chart.renderToSVGString();
  // Its timers would keep the process running.
  chart.dispose();
  return svg;
}
