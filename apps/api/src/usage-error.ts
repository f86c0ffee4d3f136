/** The command cannot be carried out as it was given: exit code 2. The message says what to give instead. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}
