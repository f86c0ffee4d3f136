/** A command ended before its work was done: exit code 3. The message says why, and how to go on. */
export class StoppedEarly extends Error {
  override readonly name = 'StoppedEarly';
}
