export interface components {
    schemas: {
        /**
         * @description A plant as it is stored.
         * @example {
         *       "name": "Fern",
         *       "tag": "shade"
         *     }
         * @example {
         *       "name": "Moss"
         *     }
         */
        Plant: {
            /** @description The name of the plant: any well-formed Unicode text without U+0000, kept exactly. */
            name: string;
            /** @description Tag that specifies the type of the plant: text, as the name is. Absent and empty tags differ. */
            tag?: string;
        };
        /**
         * @description A plant to create. The client chooses its id.
         * @example {
         *       "id": 7,
         *       "name": "Fern",
         *       "tag": "shade"
         *     }
         * @example {
         *       "id": 8,
         *       "name": "Moss"
         *     }
         */
        NewPlant: {
            /**
             * Format: int64
             * @description Identification number of the plant: any integer from -9223372036854775808 to 9223372036854775807.
             */
            id: number;
            /** @description The name of the plant: any well-formed Unicode text without U+0000, kept exactly. */
            name: string;
            /** @description Tag that specifies the type of the plant: text, as the name is. Absent and empty tags differ. */
            tag?: string;
        };
        /** @description Why a request failed. */
        Error: {
            /**
             * Format: int32
             * @description Numeric error indicator: the number of this kind of error.
             */
            error: number;
            /** @description Error message text, for people. */
            message: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
