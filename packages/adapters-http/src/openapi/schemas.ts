import { z } from 'zod';
import { errorRecord, newPlantRecord, plantRecord } from '../plants/plant-records.ts';

/** A JSON object, such as a JSON Schema. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The records as JSON Schemas (draft 2020-12), by their names in the interface. Responses have no other members than these;
 * requests may have others, which are ignored.
 */
export const openApiSchemas: JsonObject = {
  Plant: schemaOf(plantRecord, 'output'),
  NewPlant: schemaOf(newPlantRecord, 'input'),
  Error: schemaOf(errorRecord, 'output'),
};

function schemaOf(record: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema, ...schema } = z.toJSONSchema(record, { io, unrepresentable: bigintAsInt64 });
  return schema;
}

/**
 * The format alone says the range. As `minimum` and `maximum` its bounds would be rounded by every reader whose numbers
 * are doubles: 9223372036854775807 becomes 9223372036854775808, which is no int64.
 */
function bigintAsInt64({ zodSchema }: { readonly zodSchema: z.core.$ZodTypes }) {
  return zodSchema._zod.def.type === 'bigint' ? { type: 'integer' as const, format: 'int64' } : 'throw';
}
