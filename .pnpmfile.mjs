export const hooks = {
  /**
   * What a tarball does not say of itself. Its `development` condition would lead vite, and whoever else sets that name,
   * to TypeScript below node_modules, which Node refuses to run. Scripts and what they need are of use here alone.
   */
  beforePacking({ exports = {}, scripts, devDependencies, ...manifest }) {
    const entryPoints = Object.entries(exports).map(([path, conditions]) => [path, withoutDevelopment(conditions)]);
    return { ...manifest, exports: Object.fromEntries(entryPoints) };
  },
};

/** The conditions of an entry point, or the one file that it is. */
function withoutDevelopment(conditions) {
  if (typeof conditions === 'string') return conditions;
  const { development, ...published } = conditions;
  return published;
}
