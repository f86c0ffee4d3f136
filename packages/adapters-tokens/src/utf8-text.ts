/**
 * Decodes UTF-8, and removes a byte order mark.
 * @throws {Error} if the bytes are UTF-16, as some programs of Windows save text.
 */
export function utf8Text(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (hasMark || first === 0 || second === 0) throw new Error('it is encoded in UTF-16: save it as UTF-8');
  return new TextDecoder().decode(bytes);
}
