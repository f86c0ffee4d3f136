import { parse } from 'yaml';

/** A workflow of GitHub Actions, as far as the rules below look at it. */
interface Workflow {
  readonly on?: unknown;
  readonly concurrency?: Concurrency;
  readonly permissions?: unknown;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly concurrency?: Concurrency;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

/** A group, or that and what becomes of a run in progress. */
type Concurrency = string | { readonly group: string };

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
}

/**
 * What actionlint does not look for: actions and a package manager that can be moved, a lockfile that is not checked,
 * permissions and tokens that nobody needs, six hours, pushed commits that are not looked at.
 */
export function workflowFaults(text: string): readonly string[] {
  const { on, concurrency, permissions, env, jobs }: Workflow = parse(text);
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
    // Of the runs of a group that wait, GitHub cancels all but the last.
    ...[concurrency, ...Object.values(jobs).map((job) => job.concurrency)]
      .filter((each) => each && isOf('push', on) && !JSON.stringify(each).includes('github.sha'))
      .map(() => 'concurrency: a group for each commit that is pushed'),
    ...(/\bpnpm@/.test(text) ? ['run .ci/pnpm, which is pinned'] : []),
    ...Object.entries(jobs).flatMap(([name, job]) =>
      isLockfileChecked(job.steps) ? [] : [`${name}: run .ci/check-lockfile before anything is installed`],
    ),
    ...(holdsSecret(env) ? ['secrets: on the step that needs them'] : []),
    ...Object.values(jobs).flatMap(({ steps: each, ...job }) => secretFaults(each, job)),
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

/** Images that can be moved. They run beside the token of the cache. */
export function imageFaults(images: readonly string[]): readonly string[] {
  return images.filter((image) => !/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/.test(image)).map((image) => `pin ${image}`);
}

/** A secret is for one step, which installs nothing: what was installed has run its scripts without it. */
function secretFaults(steps: readonly Step[], job: object): readonly string[] {
  return [
    ...(holdsSecret(job) ? ['secrets: on the step that needs them'] : []),
    ...steps
      .filter((step, at) => holdsSecret(step) && !(isTurbo(step) && steps.slice(0, at).some(installs)))
      .map(() => 'secrets: for turbo alone, after .ci/pnpm install --frozen-lockfile'),
  ];
}

/** `.ci/run` begins with that itself. Other scripts in `.ci` that install nothing are named here. */
function isLockfileChecked(steps: readonly Step[]): boolean {
  const runs = steps.flatMap(({ run }) => run ?? []);
  const installing = runs.findIndex((run) =>
    /\.ci\/(?!(check-lockfile|run|mutated-packages|store-tests)\b)|\b(npm|npx|pnpm|yarn|corepack)\b/.test(run),
  );
  return installing < 0 || runs.slice(0, installing).includes('.ci/check-lockfile');
}

function holdsSecret(part: unknown): boolean {
  return JSON.stringify(part ?? '').includes('secrets.');
}

function isOf(event: string, on: unknown): boolean {
  const events = typeof on === 'object' && on !== null && !Array.isArray(on) ? Object.keys(on) : [on].flat();
  return events.includes(event);
}

function isTurbo({ run = '' }: Step): boolean {
  return /^\.ci\/pnpm turbo run [^\n;|&]*$/.test(run.replace(/\$\{\{.*?\}\}/g, ''));
}

function installs({ run }: Step): boolean {
  return run === '.ci/pnpm install --frozen-lockfile';
}
