/** What the manifests, the files and the jobs say of suites. */
export interface Suites {
  /** The scripts of every package, by their names. */
  readonly scripts: readonly (readonly [name: string, command: string])[];
  /** The test files that vitest finds by their ending. */
  readonly files: readonly string[];
  /** The engines behind a server, which have projects of their own. */
  readonly engines: readonly string[];
  /** The workflows, and the scripts that they run, with their variables filled in. */
  readonly jobs: string;
}

/**
 * Test scripts that no job runs, files that are in no project of vitest, and projects that no script names which a job runs;
 * one line each.
 */
export function suitesWithoutJob({ scripts, files, engines, jobs }: Suites): readonly string[] {
  const isRun = (name: string) => new RegExp(`(turbo run|\\.ci/pnpm|pnpm@12)( \\S+)* ${name}(?![\\w:-])`).test(jobs);
  const tests = scripts.filter(([name]) => /^test(:|$)/.test(name) && !sameSuites.includes(name));
  const ran = tests.filter(([name]) => isRun(name)).map(([, command]) => command);
  const named = new Set(ran.flatMap((command) => [...command.matchAll(/--project (\S+)/g)].map(([, name]) => name)));
  const projects = new Set(files.flatMap((path) => projectsOf(path, engines)));
  return [
    ...new Set(tests.filter(([name]) => !isRun(name)).map(([name]) => `no job runs the script ${name}`)),
    ...files.filter((path) => !hasProject.test(path)).map((path) => `no job runs ${path}: tests are below test/`),
    ...[...projects].filter((name) => !named.has(name)).map((name) => `no job runs the tests of the project ${name}`),
  ];
}

/** Another way to run what `test` runs. */
const sameSuites: readonly string[] = ['test:all'];

/** As in vitest.config.ts. */
const hasProject = /^tools\/|^((apps|packages)\/)?[^/]+\/(mutants\/)?test\//;

function projectsOf(path: string, engines: readonly string[]): readonly string[] {
  const [, folder = '', below = ''] = /^(?:apps|packages)?\/?([^/]+)\/(?:(mutants)|test\/([^/]+))?/.exec(path) ?? [];
  const [, inTest = ''] = /\/test\/([^/]+)\//.exec(path) ?? [];
  if (below) return [`${folder}-${below}`];
  if (inTest === 'servers') return engines.map((engine) => `${folder}-${engine}`);
  return [engines.includes(inTest) ? `${folder}-${inTest}` : folder];
}
