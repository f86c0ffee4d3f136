/**
 * What the service uses of `node:http`. An `import` of that module reads all of its exports, of which some load Node's whole
 * HTTP client, undici.
 */
export const { IncomingMessage, STATUS_CODES } = process.getBuiltinModule('node:http');
