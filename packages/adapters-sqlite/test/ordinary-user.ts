/** Runs as a user to whom file permissions apply: in containers, tests run as root, to whom they do not. */
export async function asOrdinaryUser<T>(use: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return use();
  process.seteuid?.('nobody');
  try {
    return await use();
  } finally {
    process.seteuid?.(0);
  }
}
