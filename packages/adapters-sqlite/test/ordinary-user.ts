/** Runs without root's privileges, because file permissions do not apply to root. */
export async function asOrdinaryUser<T>(use: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return use();
  process.seteuid?.('nobody');
  try {
    return await use();
  } finally {
    process.seteuid?.(0);
  }
}
