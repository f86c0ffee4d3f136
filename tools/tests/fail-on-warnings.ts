// A worker imports this module before each test file, but must add the listener once.
const listens = Symbol.for('plant-store: a warning of the process fails the run');
if (!(listens in globalThis)) {
  Object.assign(globalThis, { [listens]: true });
  process.on('warning', (warning) => {
    throw warning;
  });
}
