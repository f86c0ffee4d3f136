import type { Command } from 'commander';

/** The options of a command that checks a contract and reports the result. */
export interface ReportOptions {
  readonly only?: string;
  readonly json?: boolean;
  readonly junit?: string;
  readonly html?: string;
  readonly force?: boolean;
}

export function addReportOptions(command: Command): Command {
  return command
    .option('--json', 'print only the report, as JSON')
    .option('--junit <file>', 'write the report as JUnit XML, too')
    .option('--html <file>', 'write the report as a page, too')
    .option('--force', 'replace existing files of --junit and --html');
}
