import { markdownTable } from '../tables/markdown-table.ts';
import { type Call, isCall, participants, steps } from './steps.ts';

/** The way of one request as a Mermaid sequence diagram, with where each of its calls is written. */
export function oneRequest(): string {
  const diagram = [
    'sequenceDiagram',
    '  autonumber',
    '  actor caller',
    ...participants.map(({ id, title }) => `  participant ${id} as ${title}`),
    ...steps.map((step) =>
      isCall(step)
        ? `  ${step.from}->>${step.to}: ${step.calls}: ${step.does}`
        : `  ${step.from}${step.answer ? '-->>' : '->>'}${step.to}: ${step.does}`,
    ),
  ];
  const calls = steps
    .map((step, at) => [step, at + 1] as const)
    .filter((each): each is [Call, number] => isCall(each[0]));
  const rows = calls.map(([{ calls, file, calledIn }, number]) => [number, `\`${calls}\``, link(file), link(calledIn)]);
  return [
    ['```mermaid', ...diagram, '```'].join('\n'),
    markdownTable(['step', 'function', 'is in', 'is called in'], rows),
  ].join('\n\n');
}

function link(file: string): string {
  return `[${file.slice(file.lastIndexOf('/') + 1)}](../${file})`;
}
