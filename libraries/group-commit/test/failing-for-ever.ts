/** A mutant: after its first failure the probe fails forever. */
export function failingForEver(probe: () => Promise<void>): { probe(): Promise<void> } {
  let failure: Error | undefined;
  return {
    async probe() {
      if (failure) throw failure;
      await probe().catch((error: Error) => {
        failure = error;
        throw error;
      });
    },
  };
}
