import type { ClauseResult } from '../clause-result.ts';
import type { ContractReport } from '../run-contract.ts';
import { escapeMarkup } from './escape-markup.ts';
import type { Run } from './run.ts';

/**
 * A report as JUnit XML, in the form that continuous integration reads (https://github.com/testmoapp/junitxml): a test
 * case for each clause; a clause that is not promised or not checked is skipped, with the reason.
 */
export function junitReport(
  { contract, results, failed, notPromised, notChecked, knownFailures }: ContractReport,
  run: Run,
): string {
  const counts = `tests="${results.length}" failures="${failed}" errors="0" skipped="${notPromised + notChecked + knownFailures}" time="${run.seconds.toFixed(3)}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${escapeMarkup(run.program)}" ${counts}>
  <testsuite name="${escapeMarkup(contract)}" ${counts} timestamp="${run.startedAt.toISOString()}">
    <properties><property name="subject" value="${escapeMarkup(run.subject)}"/></properties>
${results.map((result) => testCase(contract, result)).join('\n')}
  </testsuite>
</testsuites>
`;
}

function testCase(contract: string, result: ClauseResult): string {
  const head = `    <testcase classname="${escapeMarkup(contract)}" name="${escapeMarkup(`${result.id} ${result.title}`)}"`;
  switch (result.verdict) {
    case 'passed':
      return `${head}/>`;
    case 'not-promised':
      return `${head}><skipped message="not promised"/></testcase>`;
    case 'not-checked':
      return `${head}><skipped message="${escapeMarkup(`not checked: ${result.message}`)}"/></testcase>`;
    case 'known-failure':
      return `${head}><skipped message="${escapeMarkup(`known failure: ${result.message}`)}"/></testcase>`;
    case 'failed': {
      const [first = ''] = result.message.split('\n');
      return `${head}><failure message="${escapeMarkup(first)}">${escapeMarkup(result.message)}</failure></testcase>`;
    }
  }
}
