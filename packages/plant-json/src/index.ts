export { InvalidJson, InvalidPlant, type RecordFault } from './faults.ts';
export { parseJson } from './parse-json.ts';
export { newPlantRecord, plantRecord, readNewPlant } from './plant-records.ts';
export { toJson } from './to-json.ts';
