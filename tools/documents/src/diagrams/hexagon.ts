import { files, read } from '../root.ts';
import { type WorkspacePackage, workspacePackages } from '../workspace-packages.ts';
import { portsAndUseCases } from './ports-and-use-cases.ts';

/** The packages that the service is made of, and which of them meets which port, as a Mermaid flowchart. */
export function hexagon(): string {
  const { useCases, ports } = portsAndUseCases();
  const served = workspacePackages().filter(({ folder }) => /^packages\/(adapters-|domain$)/.test(folder));
  const [domain] = served;
  if (domain?.folder !== 'packages/domain') throw new Error('expected packages/domain to be the first package');
  const adapters = served.slice(1).map((adapter) => ({ ...adapter, title: titleOf(adapter) }));
  const driving = adapters.filter(({ description }) => description.startsWith('Driving'));
  const driven = adapters.filter((adapter) => !driving.includes(adapter));

  const known = [...useCases, ...ports].map(({ name }) => name);
  const lines = [
    'operator([operator]) -->|plant-store| commands',
    'caller([caller]) -->|POST /plants| adapters-http',
    'subgraph api ["apps/api: chooses the adapters"]',
    'commands["command line"]',
    ...driving.map(node),
    `subgraph domain ["domain: depends on ${dependenciesOf(domain)}"]`,
    ...useCases.map(({ name }) => `${name}{{${name}}}`),
    ...ports.map(({ name }) => `${name}[[${name}]]`),
    ...useCases.flatMap(({ name, file }) => namesIn([file], ports).map((port) => `${name} --> ${port}`)),
    'end',
    ...driven.map(node),
    'end',
    ...['export', 'import'].flatMap((command) =>
      asks(`apps/api/src/bulk/${command}`, known).map((name) => `commands -->|${command}| ${name}`),
    ),
    ...driving.flatMap(({ title, folder }) => asks(`${folder}/src`, known).map((name) => `${title} --> ${name}`)),
    ...driven.flatMap(({ title, folder }) =>
      ports.filter((port) => runsContract(folder, port.name)).map(({ name }) => `${name} -.- ${title}`),
    ),
  ];
  return ['```mermaid', 'flowchart LR', ...indented(lines), '```'].join('\n');
}

function titleOf({ folder }: WorkspacePackage): string {
  return folder.slice('packages/'.length);
}

function node({ title, description }: WorkspacePackage & { readonly title: string }): string {
  return `${title}["${title}<br/>${description.replace(/^\w+ adapter: (\w+ (?=(on|in|by) ))?|\.$/g, '')}"]`;
}

function dependenciesOf({ dependencies }: WorkspacePackage): string {
  return dependencies.length === 0 ? 'nothing' : dependencies.join(', ');
}

/** Which of the domain's use cases and ports the modules of a folder ask for by name. */
function asks(folder: string, names: readonly string[]): readonly string[] {
  const imported = files(`${folder}/*.ts`).flatMap((path) => [
    ...read(path).matchAll(/^import (?:type )?\{([^}]*)\} from '@plant-store\/domain';$/gm),
  ]);
  const words = new Set(imported.flatMap(([, list = '']) => list.match(/\w+/g) ?? []));
  // What a factory makes is asked for by the factory's name, too: createPlant, CreatePlant.
  return names.filter((name) => words.has(name) || words.has(lowerCamel(name)));
}

function namesIn(paths: readonly string[], ports: readonly { readonly name: string }[]): readonly string[] {
  const text = paths.map(read).join('\n');
  return ports.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text)).map(({ name }) => name);
}

/** An adapter meets a port when its tests run the port's contract. */
function runsContract(folder: string, port: string): boolean {
  return files(`${folder}/test/*contract.test.ts`).some((path) => read(path).includes(`${lowerCamel(port)}Contract`));
}

function lowerCamel(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function indented(lines: readonly string[]): readonly string[] {
  let depth = 1;
  return lines.map((line) => {
    if (line === 'end') depth -= 1;
    const text = '  '.repeat(depth) + line;
    if (line.startsWith('subgraph ')) depth += 1;
    return text;
  });
}
