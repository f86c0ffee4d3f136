/** Writes progress to a terminal; nobody else reads it, and standard output has the report. */
export function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${line}\n`);
}
