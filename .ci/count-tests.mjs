// Prints how many tests of vitest's JSON reports, reports/<suite>.json, passed, failed and were skipped: three numbers.
// A clause may be skipped, which each contract test allows where its adapter does not promise it; any other test that was
// not run has failed.
import { readdirSync, readFileSync } from 'node:fs';

const reports = readdirSync('reports').filter((name) => name.endsWith('.json'));
if (reports.length === 0) throw new Error('no suite has written a report');
const tests = reports
  .flatMap((path) => JSON.parse(readFileSync(`reports/${path}`, 'utf8')).testResults)
  .flatMap(({ assertionResults }) => assertionResults);
const isClause = ({ title }) => /\b(GE|HC|MG|PE|PR|TV)-\d+ /.test(title);

const passed = tests.filter(({ status }) => status === 'passed').length;
const skipped = tests.filter((test) => ['pending', 'skipped'].includes(test.status) && isClause(test)).length;
process.stdout.write(`${passed} ${tests.length - passed - skipped} ${skipped}\n`);
