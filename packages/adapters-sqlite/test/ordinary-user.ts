/** Runs as a user whom file permissions bind, which root is not: in containers tests run as root. */
export async function asOrdinaryUser<T>(use: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return use();
  process.seteuid?.('nobody');
  try {
    return await use();
  } finally {
    process.seteuid?.(0);
  }
}
