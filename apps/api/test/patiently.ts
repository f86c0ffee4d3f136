/** For a busy machine. */
export const patiently = { timeout: 20_000 };
