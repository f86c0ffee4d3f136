/** Writes progress to standard error; standard output has only the report. */
export function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
