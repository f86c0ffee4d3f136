/**
 * Parses what a client sends to a PostgreSQL server and reports the number of plants in each statement: none in those of
 * a probe, one in a simple query.
 *
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export function countAttempts(onStatement: (plants: number) => void): (bytes: Buffer) => void {
  let unread: Buffer = Buffer.alloc(0);
  // The first message has no type.
  let typeLength = 0;
  return (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    while (unread.length >= typeLength + 4) {
      const length = typeLength + unread.readInt32BE(typeLength);
      if (unread.length < length) return;
      const message = unread.subarray(0, length);
      if (typeLength === 1) readMessage(message, onStatement);
      typeLength = 1;
      unread = unread.subarray(length);
    }
  };
}

function readMessage(message: Buffer, onStatement: (plants: number) => void): void {
  const type = String.fromCharCode(message[0] ?? 0);
  // pg sends Bind with every statement that is not a simple query.
  if (type === 'B') onStatement(elementsOfFirstParameter(message.subarray(5)));
  if (type === 'Q') onStatement(1);
}

/** Ids come first, as an array in text: `{"1","2"}`. */
function elementsOfFirstParameter(bind: Buffer): number {
  const portalEnd = bind.indexOf(0) + 1;
  const formatsAt = bind.indexOf(0, portalEnd) + 1;
  const parametersAt = formatsAt + 2 + 2 * bind.readInt16BE(formatsAt);
  if (bind.readInt16BE(parametersAt) === 0) return 0;
  const first = parametersAt + 2;
  const length = Math.max(0, bind.readInt32BE(first));
  const ids = bind.toString('latin1', first + 4, first + 4 + length);
  return ids === '{}' ? 0 : ids.split(',').length;
}
