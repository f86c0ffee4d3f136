/**
 * What the service uses of `node:http`. An `import` of that module reads all of its exports, of which some load Node's whole
 * HTTP client, undici: a twentieth of the time of a start.
 */
export const { METHODS, STATUS_CODES } = process.getBuiltinModule('node:http');
