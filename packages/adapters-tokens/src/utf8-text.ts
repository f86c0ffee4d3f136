/**
 * Decodes UTF-8, without a byte order mark.
 * @throws {Error} if it is UTF-16, as some programs of Windows save it.
 */
export function utf8Text(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (hasMark || first === 0 || second === 0) throw new Error('it is encoded in UTF-16: save it as UTF-8');
  return new TextDecoder().decode(bytes);
}
