import type { ClauseResult } from '../clause-result.ts';
import type { ContractReport } from '../run-contract.ts';
import { escapeMarkup } from './escape-markup.ts';
import type { Run } from './run.ts';

/** A report as a page that needs no other file, no script and no network: to attach, to print, to look at. */
export function htmlReport(report: ContractReport, run: Run): string {
  const { contract, revision, passed, failed, notPromised, notChecked, knownFailures } = report;
  const verdict =
    failed > 0
      ? `${failed} of ${report.results.length} clauses failed`
      : 'every promised clause that was checked passed';
  const title = `${contract} contract: ${verdict}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeMarkup(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeMarkup(title)}</h1>
<dl>
<dt>Checked</dt><dd>${escapeMarkup(run.subject)}</dd>
<dt>On</dt><dd><time datetime="${run.startedAt.toISOString()}">${run.startedAt.toUTCString()}</time>, in ${run.seconds.toFixed(1)} s</dd>
<dt>Clauses</dt><dd>${passed} passed, ${failed} failed, ${notPromised} not promised, ${notChecked} not checked, ${knownFailures} known to fail${revision ? `; revision ${escapeMarkup(revision)}` : ''}</dd>
</dl>
<table>
<thead><tr><th scope="col">Clause</th><th scope="col">Verdict</th><th scope="col">Promise</th></tr></thead>
<tbody>
${report.results.toSorted(failedFirst).map(row).join('\n')}
</tbody>
</table>
</body>
</html>
`;
}

function failedFirst(a: ClauseResult, b: ClauseResult): number {
  return Number(b.verdict === 'failed') - Number(a.verdict === 'failed');
}

function row(result: ClauseResult): string {
  const message = 'message' in result ? `<pre>${escapeMarkup(result.message)}</pre>` : '';
  const verdict = result.verdict.replace('-', ' ');
  return `<tr class="${result.verdict}"><th scope="row">${escapeMarkup(result.id)}</th><td>${verdict}</td><td>${escapeMarkup(result.title)}${message}</td></tr>`;
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
tbody th, td:nth-child(2) { white-space: nowrap; }
.failed td:nth-child(2) { font-weight: bold; color: light-dark(#a40000, #ff8a80); }
.passed td:nth-child(2) { color: light-dark(#00591c, #7ddf9c); }
pre { margin: .3rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
`;
