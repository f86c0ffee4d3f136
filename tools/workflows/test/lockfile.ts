/** A lockfile in which jose, which adapters-tokens alone uses, has another version. */
export function newerJose(lockfile: string): string {
  const [, version = ''] = /^ {2}jose@(.*):\n {4}resolution: /m.exec(lockfile) ?? [];
  return lockfile.replaceAll(`jose@${version}`, `jose@${version}-rc.1`).replaceAll(`: ${version}`, `: ${version}-rc.1`);
}
