import { allowed } from './allowed.ts';

/** The names of packages by their licence, as `pnpm licenses list --json` gives them. */
export type Licences = Readonly<Record<string, readonly { readonly name: string }[]>>;

/** The page that lists them. Without versions: it changes when a package or a licence comes or goes. */
export function licencesPage(licences: Licences): string {
  const rows = Object.entries(licences)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([licence, packages]) =>
        `| ${licence} | ${[...new Set(packages.map(({ name }) => name))].toSorted().join(', ')} |`,
    );
  return `# Licences

What the service is installed with, by licence. Written by \`npx -y pnpm@12 check-licences --write\`; CI fails when it is out of date,
or when a licence is none of [those that are allowed](../tools/upkeep/src/licences/allowed.ts).

| licence | packages |
|---|---|
${rows.join('\n')}
`;
}

/** The packages under a licence that is not allowed, one line each. `(A OR B)` is allowed where A or B is; brackets inside are refused. */
export function refusedLicences(licences: Licences): readonly string[] {
  return Object.entries(licences)
    .filter(([licence]) => !isAllowed(licence))
    .flatMap(([licence, packages]) => packages.map(({ name }) => `${name}: ${licence}`));
}

function isAllowed(licence: string): boolean {
  const expression = licence.replace(/^\(([^()]*)\)$/, '$1');
  // AND binds closer than OR, but not than brackets.
  return !/[()]/.test(expression) && expression.split(' OR ').some((choice) => allowed.includes(choice));
}
