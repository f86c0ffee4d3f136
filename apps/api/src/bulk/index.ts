// Loads nothing but the names of formats. What runs an import or an export is in import/ and export/.
export { formats } from './records/format.ts';
