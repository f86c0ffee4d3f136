/** A mistake: a probe that has failed once fails for ever. */
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
