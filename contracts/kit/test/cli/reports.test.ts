import { expect, test } from 'vitest';
import { htmlReport } from '../../src/cli/html-report.ts';
import { junitReport } from '../../src/cli/junit-report.ts';
import { type ContractReport, realTime, runContract } from '../../src/index.ts';

const run = { program: 'plant-store', subject: 'https://example.org/"garden"', startedAt: new Date(0), seconds: 1.25 };

/** What a faulty service may answer. */
const hostile = '</failure><script>alert(1)</script>]]>\u001b[2J\u009b2J\u202e\u0000\ufffe\ud800&"';

const report: ContractReport = await runContract(
  {
    name: 'Test',
    clauses: [
      { id: 'T-1', title: 'passes <always>', check: async () => {} },
      {
        id: 'T-2',
        title: 'fails',
        check: async () => {
          throw new Error(hostile);
        },
      },
      { id: 'T-3', title: 'binds nobody', appliesTo: () => false, check: async () => {} },
    ],
  },
  {},
  realTime,
);

test('JUnit XML has a case for each clause, and a message cannot leave its element', () => {
  const xml = junitReport(report, run);
  expect(xml).toContain(
    '<testsuite name="Test" tests="3" failures="1" errors="0" skipped="1" time="1.250" timestamp="1970-01-01T00:00:00.000Z">',
  );
  expect(xml).toContain('<testcase classname="Test" name="T-1 passes &lt;always&gt;"/>');
  expect(xml).toContain(
    '<testcase classname="Test" name="T-3 binds nobody"><skipped message="not promised"/></testcase>',
  );
  expect(xml.match(/<\/?[\w?]+/g)?.filter((tag) => tag.includes('script'))).toEqual([]);
  expect(xml).not.toMatch(/[^\t\n\x20-\x7e]/);
  expect(xml).toContain('\\u001b[2J\\u009b2J\\u202e\\u0000\\ufffe\\ud800&amp;&quot;');
});

test('the page lists failed clauses first, and runs nothing', () => {
  const html = htmlReport(report, run);
  expect([...html.matchAll(/<tr class="([^"]*)"><th scope="row">([^<]*)/g)].map(([, ...row]) => row)).toEqual([
    ['failed', 'T-2'],
    ['passed', 'T-1'],
    ['not-promised', 'T-3'],
  ]);
  expect(html).not.toContain('<script');
  expect(html).toContain('<h1>Test contract: 1 of 3 clauses failed</h1>');
  expect(html).toContain('https://example.org/&quot;garden&quot;');
});
