// Sums up the tests of turbo's last run, from vitest's reports (reports/<suite>.json), turbo's summary and the logs that it names.
// The first line has three numbers: how many passed, failed and were skipped. A clause may be skipped, which each contract test
// allows where its adapter does not promise it; any other test that was not run has failed. A suite that failed without a failed
// test counts as one. The other lines name what failed, each with the first lines of its message, and what passed only when it was
// run once more.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const LINES = 30;
const LINES_EACH = 6;

const tests = readJson('reports')
  .flatMap(({ testResults }) => testResults)
  .flatMap(({ name, assertionResults }) => assertionResults.map((test) => ({ ...test, file: relative('.', name) })));
const isClause = ({ title }) => /\b(HC|MG|PE|PR|TV)-\d+ /.test(title);
const notRun = tests.filter(({ status }) => status !== 'passed' && status !== 'failed');
const skipped = notRun.filter((test) => test.status !== 'todo' && isClause(test));

const failedTasks = readJson('.turbo/runs')
  .flatMap(({ tasks }) => tasks)
  .filter(({ execution }) => execution && execution.exitCode !== 0);

const passed = tests.filter(({ status }) => status === 'passed').length;
const failed = Math.max(tests.length - passed - skipped.length, failedTasks.length > 0 || passed === 0 ? 1 : 0);
const lines = [
  ...failedTasks.flatMap(({ taskId, logFile }) => [
    `FAILED: ${taskId}`,
    ...findFailures(readFileSync(logFile, 'utf8')),
  ]),
  ...notRun.filter((test) => !skipped.includes(test)).map(({ file, fullName }) => `NOT RUN: ${file} > ${fullName}`),
  ...tests
    .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
    .flatMap(({ file, fullName, failureMessages: [first] }) => [
      `PASSED AT THE SECOND TRY: ${file} > ${fullName}`,
      ...first.split('\n').slice(0, 2),
    ]),
  ...(tests.length === 0 ? ['FAILED: no suite has written a report'] : []),
];
const more = lines.splice(LINES).length;
if (more > 0) lines.push(`… and ${more} more lines`);
process.stdout.write([`${passed} ${failed} ${skipped.length}`, ...lines, ''].join('\n'));

function readJson(directory) {
  const names = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.json')) : [];
  return names.map((name) => JSON.parse(readFileSync(`${directory}/${name}`, 'utf8')));
}

/** The names that vitest gives what failed, each followed by its message, or the end of the log if there are none. */
function findFailures(log) {
  const all = log.split('\n').filter((line) => line.trim());
  // The last is a line of strictRun.
  const isStart = (line) => /^( FAIL {2}|⎯+ (Uncaught|Unhandled) (?!Errors )|A test left )/.test(line);
  const isEnd = (line) => isStart(line) || /^( ❯ |⎯|\[ELIFECYCLE)/.test(line);
  const blocks = all.flatMap((line, at) => {
    if (!isStart(line)) return [];
    const rest = all.slice(at + 1, at + LINES_EACH);
    const end = rest.findIndex(isEnd);
    return [line, ...(end < 0 ? rest : rest.slice(0, end))];
  });
  return blocks.length > 0 ? blocks : all.slice(-2 * LINES_EACH);
}
