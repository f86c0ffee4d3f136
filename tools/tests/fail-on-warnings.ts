// A worker imports this before each file, and listens once.
const listens = Symbol.for('plant-store: a warning of the process fails the run');
if (!(listens in globalThis)) {
  Object.assign(globalThis, { [listens]: true });
  process.on('warning', (warning) => {
    throw warning;
  });
}
