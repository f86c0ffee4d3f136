/** What is said of a changed file; in GitHub Actions it stands there as well. */
export interface Annotation {
  readonly kind: 'notice' | 'error';
  /** What it is about: the name of a port or a package. */
  readonly title: string;
  readonly file: string | undefined;
  readonly message: string;
}

/** Prints it, as a line of its own. */
export function say({ kind, title, file, message }: Annotation): void {
  const escaped = message.replaceAll('%', '%25').replaceAll('\n', '%0A');
  const inActions = process.env['GITHUB_ACTIONS'] === 'true';
  process.stdout.write(inActions ? `::${kind} file=${file},title=${title}::${escaped}\n` : `${title}: ${message}\n`);
}
