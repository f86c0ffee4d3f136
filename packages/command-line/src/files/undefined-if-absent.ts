/** For the `catch` of a call about a path: what is not there is no failure. */
export function undefinedIfAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
