/** Tells the person who waits what is going on, apart from the report on standard output. */
export function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
