import { parse } from 'yaml';

/** A workflow of GitHub Actions, as far as the rules below look at it. */
interface Workflow {
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, { readonly 'timeout-minutes'?: number; readonly steps: readonly Step[] }>>;
}

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

/** What actionlint does not look for: actions that can be moved, permissions and tokens that nobody needs, six hours. */
export function workflowFaults(text: string): readonly string[] {
  const { permissions, jobs }: Workflow = parse(text);
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const uses = text.split('\n').filter((line) => /^ *(- )?uses:/.test(line));
  return [
    // A tag can be moved to other code; a commit cannot. The comment is for people, and for renovate.
    ...uses
      .filter((line) => !/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))
      .map((line) => `pin ${line.trim()}`),
    ...(JSON.stringify(permissions) === '{"contents":"read"}' ? [] : ['permissions: contents: read, and no others']),
    ...Object.entries(jobs).flatMap(([name, job]) => (job['timeout-minutes'] ? [] : [`${name}: set timeout-minutes`])),
    ...steps
      .filter((step) => step.uses?.startsWith('actions/checkout@') && step.with?.['persist-credentials'] !== false)
      .map(() => 'checkout: set persist-credentials: false'),
    // Who can write to the cache decides what a run with the token says: on main nobody else's result counts.
    ...text
      .split('\n')
      .filter(
        (line) =>
          /secrets\.TURBO_TOKEN/.test(line) && !line.includes("github.event_name == 'pull_request' && secrets."),
      )
      .map(() => 'TURBO_TOKEN: for pull requests only'),
  ];
}
