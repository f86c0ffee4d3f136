import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContractReport, realTime, runContract } from '@plant-store/contracts-kit';
import { expect, test } from 'vitest';
import { htmlReport } from '../../src/verify/html-report.ts';
import { junitReport } from '../../src/verify/junit-report.ts';
import { runToEnd } from '../run-in-process.ts';
import { scratchDirectory } from '../running-service.ts';

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

test('verify-store writes both beside its output, and says before the run which file it cannot write', async ({
  onTestFinished,
}) => {
  const directory = await scratchDirectory(onTestFinished);
  const [junit, html] = [join(directory, 'report.xml'), join(directory, 'report.html')];
  const checkSome = ['verify-store', '--url', 'memory:', '--only', 'PR-1,PR-4'];
  expect((await runToEnd([...checkSome, '--junit', junit, '--html', html])).code).toBe(0);
  expect(await readFile(junit, 'utf8')).toContain('<property name="subject" value="memory:"/>');
  expect(await readFile(html, 'utf8')).toContain('every promised clause that was checked passed');

  const { code, output } = await runToEnd([...checkSome, '--junit', join(directory, 'missing', 'report.xml')]);
  expect({ code, output }).toEqual({
    code: 2,
    output: expect.stringMatching(/^plant-store: --junit: cannot write .*missing.*ENOENT.*\n$/),
  });
});

test('a report replaces a file only with --force, and never one of the store', async ({ onTestFinished }) => {
  const directory = await scratchDirectory(onTestFinished);
  const [store, html] = [join(directory, 'plants.db'), join(directory, 'report.html')];
  await writeFile(store, 'plants');
  await writeFile(html, 'earlier');
  const verify = (...options: string[]) =>
    runToEnd(['verify-store', '--url', `sqlite:${store}`, '--only', 'PR-1', ...options]);
  for (const [options, fault] of [
    [['--html', html], 'report.html exists: pass --force to replace it'],
    [['--html', store, '--force'], 'is a file of the store itself'],
    [['--html', html, '--junit', html], 'name the same file'],
  ] as const)
    expect(await verify(...options)).toEqual({ code: 2, output: expect.stringContaining(fault) });
  expect(await readFile(html, 'utf8')).toBe('earlier');
  expect(await readFile(store, 'utf8')).toBe('plants');
  expect((await verify('--html', html, '--junit', join(directory, 'report.xml'), '--force')).code).toBe(0);
  expect(await readFile(html, 'utf8')).toContain('<h1>');
  expect((await stat(join(directory, 'report.xml'))).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(['plants.db', 'report.html', 'report.xml']);
});
