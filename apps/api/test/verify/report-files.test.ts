import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContractReport, realTime, runContract } from '@plant-store/contracts-kit';
import { expect, test } from 'vitest';
import { htmlReport } from '../../src/verify/html-report.ts';
import { verifyStore } from '../../src/verify/index.ts';
import { junitReport } from '../../src/verify/junit-report.ts';
import { plantStore, scratchDirectory } from '../running-service.ts';

const run = { subject: 'https://example.org/"garden"', startedAt: new Date(0), seconds: 1.25 };

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
  const written = plantStore(['verify-store', '--only', 'PR-1,PR-4', '--junit', junit, '--html', html], {
    DATABASE_URL: 'memory:',
  });
  expect(await written.ended).toBe(0);
  expect(await readFile(junit, 'utf8')).toContain('<property name="subject" value="memory:"/>');
  expect(await readFile(html, 'utf8')).toContain('every promised clause that was checked passed');

  const failing = plantStore(['verify-store', '--junit', join(directory, 'missing', 'report.xml')], {
    DATABASE_URL: 'memory:',
  });
  expect(await failing.ended).toBe(2);
  expect(failing.output()).toMatch(/--junit: cannot write .*missing.*ENOENT/);
  expect(failing.output()).not.toContain('PR-1');
});

test('a report replaces a file only with --force, and never one of the store', async ({ onTestFinished }) => {
  const directory = await scratchDirectory(onTestFinished);
  const [store, html] = [join(directory, 'plants.db'), join(directory, 'report.html')];
  await writeFile(store, 'plants');
  await writeFile(html, 'earlier');
  const given = { url: `sqlite:${store}`, only: 'PR-1', json: true, junit: undefined, html, force: false };
  await expect(verifyStore(given)).rejects.toThrow('report.html exists: pass --force to replace it');
  await expect(verifyStore({ ...given, html: store, force: true })).rejects.toThrow('is a file of the store itself');
  await expect(verifyStore({ ...given, junit: html })).rejects.toThrow('name the same file');
  expect(await readFile(html, 'utf8')).toBe('earlier');
  expect(await readFile(store, 'utf8')).toBe('plants');
  await verifyStore({ ...given, junit: join(directory, 'report.xml'), force: true });
  expect(await readFile(html, 'utf8')).toContain('<h1>');
  expect((await stat(join(directory, 'report.xml'))).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(['plants.db', 'report.html', 'report.xml']);
});
